// SPDX-License-Identifier: GPL-3.0-or-later
/* The duration of undisturbed calls, estimated by a location of batch means that leaves out batches
 * during which other work had the CPU.
 *
 * A host that steals a processor for milliseconds, or another program that preempts, lands in
 * single calls. The mean over all calls must include them. Its error is then often so large that it
 * hides changes of the program. Most batches of consecutive calls are undisturbed, and their sums
 * are exact.
 *
 * Pure functions: none allocates, fails or keeps state; any thread may call them. */
#ifndef SCPROF_STATS_COMPARE_BIWEIGHT_H
#define SCPROF_STATS_COMPARE_BIWEIGHT_H

#include <stdint.h>

#include "stats/stats.h"

#define BIWEIGHT_BATCHES 64 /* maximum number of batches used */
#define BIWEIGHT_LEAST	 16 /* minimum number of batches */

struct biweight {
	double location, error, freedom; /* of one call, in clock units */
	double kept;   /* share of batches with weight above 0; the others are outliers */
	double spread; /* of single calls: variance / squared mean; NAN: unknown */
	uint32_t batches;
};

/* The standard deviation of undisturbed batches, if any `clean` of the first n are undisturbed. It
 * is that of a normal distribution in which half a sample of size `clean` has, on average, the
 * range of the closest clean / 2 + 1 of the n. *centre: the middle of that range. 8 <= clean <= n
 * <= BIWEIGHT_BATCHES. */
double biweight_deviation(const struct stats_batches *b, uint32_t n, uint32_t clean,
			  double *centre);

/* Tukey's biweight of the batch means (Mosteller and Tukey 1977, "Data Analysis and Regression",
 * 10E): weights (1 - u^2)^2, u is the distance from the centre in units of 6 MAD; 0.7 (n - 1)
 * degrees of freedom. The error includes the batches' serial correlation. Returns 0; -1: no
 * estimate, if there are under BIWEIGHT_LEAST batches; over a quarter are outliers; the median is
 * one of them (the median deviation is over 5 times what the closest quarter suggests); all are
 * equal (too few ticks); or dependence makes the error unknown. */
int biweight_location(const struct stats_batches *b, struct biweight *out);

/* Only compare locations of batches of one size: a location is not a mean, and depends on the batch
 * size if durations are skewed. Doubles the batch size in `sum` (changes count and calls) until
 * batches hold `wanted` calls, which is a power of two times the present size. Drops an odd last
 * batch. */
void biweight_enlarge(uint64_t *sum, uint32_t *count, uint64_t *calls, uint64_t wanted);

/* The duration of undisturbed calls if a histogram of single calls exists: the mean of all calls
 * except the longest 5 %.
 *
 * A host that steals a processor for a tenth of a millisecond a hundred times a second hits 1 % of
 * calls that take microseconds, but most batches of 100 calls. Then every location of batch means
 * (biweight.h) is disturbed, although 99 % of calls are not.
 *
 * Pure functions; none allocates, fails or keeps state; any thread may call them. */

#define TRIMMED_SHARE 0.05 /* of the calls, the longest ones */
#define TRIMMED_LEAST 256  /* minimum number of calls */

/* The trimmed mean with its error after Yuen (1974, "The two-sample trimmed t for unequal
 * population variances"), trimmed only at the long end. The error also includes
 *   - dependence: by how much undisturbed batches scatter more than independent calls would, and
 *     their serial correlation. How many are undisturbed is estimated from the outliers
 *     (outliers_find). What is within chance does not count. Where they are too few, calls
 * count as independent; any dependence must show between sites or runs;
 *   - the buckets: a duration is known to an eighth. The mean of durations over many buckets is
 *     known far better, that of one bucket's is not: 0.036 (sum p^2)^1.5 of it, p the buckets'
 *     shares, which covers the effect of shifting distributions against the buckets (normal,
 *     uniform, exponential, lognormal, two modes: computed).
 * `count`: a histogram as in histogram.h. `b`: batches of the same calls, or more. Clock units.
 * Returns 0; -1: too few calls or batches, or dependence makes the error unknown. */
int trimmed_mean(const uint64_t *count, uint32_t buckets, const struct stats_batches *b,
		 struct biweight *out);

#endif
