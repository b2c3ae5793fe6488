// SPDX-License-Identifier: GPL-3.0-or-later
/* The innermost loop: one function called many times with the same arguments. */
#ifndef SCPROF_COLLECTOR_MICROBENCH_BENCH_CALL_H
#define SCPROF_COLLECTOR_MICROBENCH_BENCH_CALL_H

#include <stdint.h>

#include "collector/microbench/bench_arguments.h"

typedef void bench_function(void);

typedef void bench_loop(bench_function *f, const struct bench_arguments *a, uint64_t calls);

/* The loop that passes as many arguments as `a` holds (or a few more, which land
 * in registers that the function does not look at). The same loop runs the
 * function and the empty function. */
bench_loop *bench_call_loop_for(const struct bench_arguments *a);

/* A function that does nothing but return. There are several, at different places
 * in a cache line; a different one each `turn`, so that what the place of a function
 * does to the time of a call is in the spread of the replications. */
bench_function *bench_call_empty(unsigned int turn);

#endif
