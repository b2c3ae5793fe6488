// SPDX-License-Identifier: GPL-3.0-or-later
/* Arguments for a call, as people write them: int:5 str:hello buf:4k f64:1.5 f32:2 null.
 *
 * On x86-64 and AArch64 integers and pointers travel in one row of registers and
 * reals in another, so that their order among each other does not matter, and
 * a function of any such signature can be called through one pointer type.
 */
#ifndef SCPROF_COLLECTOR_MICROBENCH_BENCH_ARGUMENTS_H
#define SCPROF_COLLECTOR_MICROBENCH_BENCH_ARGUMENTS_H

#include <stddef.h>

#define BENCH_INTEGERS	  6
#define BENCH_REALS	  8
#define BENCH_BUFFER_MOST ((size_t)1 << 30)

struct bench_arguments {
	unsigned int integers, reals;
	long integer[BENCH_INTEGERS]; /* or the address of a string or buffer */
	double real[BENCH_REALS];     /* f32: a float in the low half */
	void *memory[BENCH_INTEGERS]; /* what strings and buffers own; NULL: nothing */
};

/* Takes `count` words. A buffer's bytes are 1 to 255 in an order that is the same
 * every time, and a 0 follows it: it is a string as well; it begins on a cache line.
 * 0; or -1 and one line in `why`, nothing to free. */
int bench_arguments_parse(struct bench_arguments *a, char **words, int count, char *why,
			  size_t size);

void bench_arguments_free(struct bench_arguments *a);

#endif
