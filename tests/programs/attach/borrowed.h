// SPDX-License-Identifier: GPL-3.0-or-later
/* What tests/programs/attach/borrowed.c says of itself, in a file that it maps. */
#ifndef BORROWED_H
#define BORROWED_H

#include <stdatomic.h>
#include <stdint.h>

/* What is sent with a signal. */
#define BORROWED_VALUE(signal) ((signal)*1001)

struct borrowed {
	atomic_int ready;
	atomic_int failures;
	atomic_ulong rounds;
	char text[200]; /* the first failure */
	/* kinds "handlers_...": */
	atomic_int child;     /* that waits to be killed */
	atomic_ulong got[65]; /* signals that were handled */
};

#endif
