// SPDX-License-Identifier: GPL-3.0-or-later
/* What is measured, as the procedure sees it: something that can be run a number
 * of times, and its empty counterpart. All of this runs in the child. */
#pragma once

#include <sys/types.h>

#include "collector/bench/bench.h"

/* The innermost loop: one function called many times with the same arguments. */

typedef void bench_function(void);

typedef void bench_loop(bench_function *f, const struct bench_arguments *a, uint64_t calls);

/* The loop that passes as many arguments as `a` holds (or a few more, which land in registers that
 * the function does not look at). The same loop runs the function and the empty function. */
bench_loop *bench_function_loop(const struct bench_arguments *a);

/* A function that does nothing but return. There are several, at different places
 * in a cache line; a different one each `turn`, so that what the place of a function
 * does to the time of a call is in the spread of the replications. */
bench_function *bench_function_empty(unsigned int turn);

struct bench_subject {
	const struct bench_plan *plan;
	struct bench_record *record;
	pid_t process; /* that measures */
	/* a function */
	bench_function *function;
	bench_loop *loop;

	/* Run it `calls` times. 0, or -1 after bench_measure_refuse. */
	int (*run)(struct bench_subject *s, uint64_t calls);
	/* The same with nothing in it; `turn` as for bench_function_empty. Of a command: nothing.
	 */
	int (*run_empty)(struct bench_subject *s, uint64_t calls, unsigned int turn);
	int rusage_who; /* whose context switches are the subject's */
};

/* bench_function.c: load the library and find the function. 0, or -1 after bench_measure_refuse. */
int bench_function_open(struct bench_subject *s);

/* bench_command.c: 0. */
int bench_command_open(struct bench_subject *s);

/* bench_measure.c: the procedure, into the record. 0, or -1 after bench_measure_refuse. */
int bench_measure(struct bench_subject *s);

/* Records why there is no result, for the parent. Returns -1. */
int bench_measure_refuse(struct bench_record *r, enum bench_end end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
