// SPDX-License-Identifier: GPL-3.0-or-later
/* What is measured, as the procedure sees it: something that can be run a number
 * of times, and its empty counterpart. All of this runs in the child. */
#ifndef SCPROF_COLLECTOR_MICROBENCH_BENCH_SUBJECT_H
#define SCPROF_COLLECTOR_MICROBENCH_BENCH_SUBJECT_H

#include <stdint.h>
#include <sys/types.h>

#include "collector/microbench/bench.h"
#include "collector/microbench/bench_call.h"

struct bench_subject {
	const struct bench_plan *plan;
	struct bench_record *record;
	pid_t process; /* that measures */
	/* a function */
	bench_function *function;
	bench_loop *loop;
	/* a command */
	char empty_path[64]; /* "": no empty command can be run here */

	/* Run it `calls` times. 0, or -1 after bench_subject_refuse. */
	int (*run)(struct bench_subject *s, uint64_t calls);
	/* The same with nothing in it; `turn` as for bench_call_empty. */
	int (*run_empty)(struct bench_subject *s, uint64_t calls, unsigned int turn);
	int rusage_who; /* whose context switches are the subject's */
};

/* bench_function.c: load the library and find the function. 0, or -1 after bench_subject_refuse. */
int bench_function_open(struct bench_subject *s);

/* bench_command.c: prepare the empty command. */
int bench_command_open(struct bench_subject *s);

/* bench_empty.c: a program that ends at once, smaller than any with a C library: its
 * path, for posix_spawn in this process. 0, or -1 with errno. */
int bench_empty_program(char *path, size_t size);

/* bench_measure.c: the procedure, into the record. 0, or -1 after bench_subject_refuse. */
int bench_measure(struct bench_subject *s);

/* Records why there is no result, for the parent. Returns -1. */
int bench_subject_refuse(struct bench_record *r, enum bench_end end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
