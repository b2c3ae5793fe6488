// SPDX-License-Identifier: GPL-3.0-or-later
/* The duration of undisturbed calls: the mean of all calls except the longest 5 %, from a histogram
 * of single calls.
 *
 * A host that steals a processor for a tenth of a millisecond a hundred times a second hits 1 % of
 * calls that take microseconds. The mean over all calls must include them. Its error is then often
 * so large that it hides changes of the program. */
#pragma once

#include <stdint.h>

#include "stats/stats.h"

#define TRIMMED_BATCHES	      64 /* maximum number of batches used */
#define TRIMMED_LEAST_BATCHES 16 /* minimum number of batches */

#define TRIMMED_SHARE 0.05 /* of the calls, the longest ones */
#define TRIMMED_LEAST 256  /* minimum number of calls */

struct trimmed {
	double location, error, freedom; /* of one call, in clock units */
	double spread;			 /* of single calls: variance / squared mean */
};

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
		 struct trimmed *out);
