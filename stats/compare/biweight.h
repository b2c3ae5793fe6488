// SPDX-License-Identifier: GPL-3.0-or-later
/* What calls take while nothing disturbs them: a location of batch means that leaves out
 * stretches in which the machine was taken away.
 *
 * A host that steals a processor for milliseconds, or another program that preempts,
 * lands in single calls. The mean over all calls holds that, as it must, and its error
 * too: often so much that no change of the program can be seen. Most batches of
 * consecutive calls are untouched, and their sums are exact.
 *
 * Pure functions: none allocates, fails or keeps state; any thread may call them.
 */
#ifndef SCPROF_STATS_COMPARE_BIWEIGHT_H
#define SCPROF_STATS_COMPARE_BIWEIGHT_H

#include <stdint.h>

#include "stats/stats.h"

#define BIWEIGHT_BATCHES 64 /* at most; more are not looked at */
#define BIWEIGHT_LEAST	 16 /* fewer say nothing */

struct biweight {
	double location, error, freedom; /* of one call, in clock units */
	double kept; /* share of batches with any weight; the others lie far off */
	uint32_t batches;
};

/* The standard deviation of undisturbed batches, when `clean` of the first n are thought
 * to be, whichever: that of a normal law of which half a sample of `clean` lies as close
 * together, on average, as the closest clean / 2 + 1 of the n do; and *centre, the middle
 * of those. 8 <= clean <= n <= BIWEIGHT_BATCHES. */
double biweight_deviation(const struct stats_batches *b, uint32_t n, uint32_t clean,
			  double *centre);

/* Tukey's biweight of the batch means, with its error (Mosteller and Tukey 1977, "Data
 * Analysis and Regression", 10E: weights (1 - u^2)^2, u the distance from the centre in
 * units of 6 MAD; degrees of freedom 0.7 (n - 1)), which is raised by the batches' serial
 * correlation. Returns 0, or -1 where it cannot be had: under BIWEIGHT_LEAST batches,
 * more than a quarter of them far off, or so many that the median is among them (the
 * median deviation is five times what the closest quarter tells), no spread at all (too few
 * ticks), or so much dependence that no error can be told. */
int biweight_location(const struct stats_batches *b, struct biweight *out);

/* Two sides can be compared only batch for batch alike: a location is not a mean, and
 * moves with the size of the batches where durations are skewed. Doubles the batches in
 * `sum` (count and calls change) until they hold `wanted` calls, a power of two times as
 * many as now; an odd last one is dropped. */
void biweight_enlarge(uint64_t *sum, uint32_t *count, uint64_t *calls, uint64_t wanted);

#endif
