// SPDX-License-Identifier: GPL-3.0-or-later
/* What the folders of stats/ share: the sums that estimates are made of. Pure functions: numbers
 * in, numbers out; none allocates, fails or keeps state, and any thread may call them.
 *
 * Durations are in whatever unit the caller uses throughout; confidence is a probability such as
 * 0.95. Where each thing is:
 *   mean/          the interval of a mean (mean_interval.h), of repeated measurements
 *                  (replications.h), of a proportion, of the time that calls are on a CPU or
 *                  asleep (states.h); dependence of calls; when to stop
 *   histogram/     percentiles and their limits, bimodality, outliers
 *   stationarity/  warm-up, drift and steps in the order of batches
 *   compare/       has a mean changed? run-to-run variation, robust locations
 *   causal/        what a nanosecond at a site costs, from windows with delays
 *   sequential/    verdicts that hold however often one looks
 *   planning/      how many calls a precision needs; Beilner's equations for slow clocks
 *   regression/    time on size, CPU time on calls
 *   displacement/  CPU time from what another program cannot get
 *   numerics/      distributions, moments without cancellation
 */
#pragma once

#include <stdint.h>

typedef unsigned __int128 stats_u128;

/* Sums over the measured durations, which are multiples of the tick. The sums are integers: with
 * floating point a variance is mere noise if the deviation is far below the mean. */
struct stats_sums {
	uint64_t n, sum;
	stats_u128 sum_sq;
	uint64_t min, max;
	uint64_t tick; /* resolution of the clock in its units, at least 1 */
	double unit;   /* length of a clock unit; results are multiples of it */
};

/* Sums over consecutive batches of `calls` calls each, oldest first; the last calls
 * of a thread may be in none, and all those of a thread that made too few. Sums of linearised
 * values may be below 0: in two's complement. */
struct stats_batches {
	uint64_t calls;
	uint32_t count; /* 0: none known */
	const uint64_t *sum;
};

/* Unbatched calls: sums over the stretches of them (the end of a thread's calls, or all that a
 * thread made), of n calls and t units each. */
struct stats_apart {
	double stretches; /* 0: all such calls form one stretch */
	double calls_sq;  /* n^2 */
	double calls_sum; /* n t */
	double sum_sq;	  /* t^2 */
};

/* How heavy the tail is: see histogram/tail.h. */
struct stats_tail_index {
	double inverse; /* 1 / alpha; 0: not known */
	double calls;	/* number of calls it was estimated from */
};

/* All data about the calls of one site. */
struct stats_sample {
	struct stats_sums sums;
	struct stats_batches batches;
	const uint64_t *phase; /* STATS_PHASES bins of where in the tick calls began; or NULL */
	struct stats_apart apart;
	struct stats_tail_index tail;
};
#define STATS_PHASES 32
