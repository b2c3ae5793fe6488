// SPDX-License-Identifier: GPL-3.0-or-later
/* The duration of undisturbed calls: a location of batch means that leaves out the times when other
 * work had the CPU.
 *
 * A host that steals a processor for milliseconds, or another program that preempts, lands in
 * single calls. The mean over all calls includes that, as it must, and so does its error: often so
 * much that no change of the program can be seen. Most batches of consecutive calls are untouched,
 * and their sums are exact.
 *
 * Pure functions: none allocates, fails or keeps state; any thread may call them.
 */
#ifndef SCPROF_STATS_COMPARE_BIWEIGHT_H
#define SCPROF_STATS_COMPARE_BIWEIGHT_H

#include <stdint.h>

#include "stats/stats.h"

#define BIWEIGHT_BATCHES 64 /* at most; more are not looked at */
#define BIWEIGHT_LEAST	 16 /* fewer: no estimate */

struct biweight {
	double location, error, freedom; /* of one call, in clock units */
	double kept;   /* share of batches with any weight; the others are outliers */
	double spread; /* of single calls: their variance over their squared mean; NAN: not known */
	uint32_t batches;
};

/* The standard deviation of undisturbed batches, if `clean` of the first n are undisturbed,
 * whichever: that of a normal distribution in which half a sample of `clean` lies as close
 * together, on average, as the closest clean / 2 + 1 of the n do. *centre: their middle.
 * 8 <= clean <= n <= BIWEIGHT_BATCHES. */
double biweight_deviation(const struct stats_batches *b, uint32_t n, uint32_t clean,
			  double *centre);

/* Tukey's biweight of the batch means, with its error (Mosteller and Tukey 1977, "Data Analysis and
 * Regression", 10E: weights (1 - u^2)^2, u the distance from the centre in units of 6 MAD; degrees
 * of freedom 0.7 (n - 1)), which is raised by the batches' serial correlation. Returns 0, or -1
 * without an estimate: under BIWEIGHT_LEAST batches, more than a quarter of them outliers, or so
 * many that the median is among them (the median deviation is five times what the closest quarter
 * suggests), no spread at all (too few ticks), or so much dependence that the error is unknown. */
int biweight_location(const struct stats_batches *b, struct biweight *out);

/* Only locations of batches of one size can be compared: a location is not a mean, and moves with
 * the size of the batches where durations are skewed. Doubles the batches in `sum` (count and calls
 * change) until they hold `wanted` calls, a power of two times as many as now; an odd last one is
 * dropped. */
void biweight_enlarge(uint64_t *sum, uint32_t *count, uint64_t *calls, uint64_t wanted);

/* The duration of undisturbed calls, where a histogram distinguishes single calls: the mean of all
 * but the longest twentieth.
 *
 * A host that steals a processor for a tenth of a millisecond a hundred times a second hits one
 * call of microseconds in a hundred, but most batches of a hundred: there no location of batch
 * means is undisturbed (biweight.h), while 99 calls in 100 are.
 *
 * Pure functions; none allocates, fails or keeps state; any thread may call them.
 */

#define TRIMMED_SHARE 0.05 /* of the calls, the longest ones */
#define TRIMMED_LEAST 256  /* fewer: no estimate */

/* The trimmed mean with its error after Yuen (1974, "The two-sample trimmed t for unequal
 * population variances"), trimmed at the long end alone. Two things are added to it:
 *   - dependence: by how much undisturbed batches scatter more than independent calls would, and
 *     their serial correlation. How many are undisturbed is estimated from the outliers
 *     (outliers_find). What is within chance does not count. Where they are too few, calls
 * count as independent; any dependence must show between sites or runs;
 *   - the buckets: a duration is known to an eighth. The mean of durations over many buckets is
 *     known far better, that of one bucket's is not: 0.036 (sum p^2)^1.5 of it, p the buckets'
 *     shares, which covers the effect of shifting distributions against the buckets (normal,
 *     uniform, exponential, lognormal, two modes: computed).
 * `count`: a histogram as in histogram.h. `b`: of the same calls, or more. Clock units. Returns 0,
 * or -1: too few calls or batches, or so much dependence that the error is unknown. */
int trimmed_mean(const uint64_t *count, uint32_t buckets, const struct stats_batches *b,
		 struct biweight *out);

#endif
