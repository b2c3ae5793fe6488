// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions to walk through, in a library of their own, which a test loads. Each makes the calls
 * that the test chooses, one after the other. */
#ifndef TESTS_UNIT_PRELOAD_WALKED_H
#define TESTS_UNIT_PRELOAD_WALKED_H

struct script;
typedef void (*walked)(struct script *s);

struct script {
	/* What is called next; NULL: return. Called with a number that the function keeps in a
	 * register or on its stack, and gives again. */
	walked (*choose)(struct script *s);
	void (*keep)(long a, long b, long c, long d, long e);
	long value;
};

#define WALKED_KINDS   8
#define WALKED_ALIGNED (WALKED_KINDS - 1)

#endif
