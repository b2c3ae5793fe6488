// SPDX-License-Identifier: GPL-3.0-or-later
/* The duration of undisturbed calls, where a histogram distinguishes single calls: the mean of all
 * but the longest twentieth.
 *
 * A host that steals a processor for a tenth of a millisecond a hundred times a second hits one
 * call of microseconds in a hundred, but most batches of a hundred: there no location of batch
 * means is undisturbed (biweight.h), while 99 calls in 100 are.
 *
 * Pure functions; none allocates, fails or keeps state; any thread may call them.
 */
#ifndef SCPROF_STATS_COMPARE_TRIMMED_H
#define SCPROF_STATS_COMPARE_TRIMMED_H

#include <stdint.h>

#include "stats/compare/biweight.h"

#define TRIMMED_SHARE 0.05 /* of the calls, the longest ones */
#define TRIMMED_LEAST 256  /* fewer: no estimate */

/* The trimmed mean with its error after Yuen (1974, "The two-sample trimmed t for unequal
 * population variances"), trimmed at the long end alone. Two things are added to it:
 *   - dependence: by how much undisturbed batches scatter more than independent calls would, and
 *     their serial correlation. How many are undisturbed is estimated from the outliers
 *     (outliers_find). What is within chance does not count. Where they are too few, calls count as
 *     independent; any dependence must show between sites or runs;
 *   - the buckets: a duration is known to an eighth. The mean of durations over many buckets is
 *     known far better, that of one bucket's is not: 0.036 (sum p^2)^1.5 of it, p the buckets'
 *     shares, which covers the effect of shifting distributions against the buckets (normal,
 *     uniform, exponential, lognormal, two modes: computed).
 * `count`: a histogram as in histogram.h. `b`: of the same calls, or more. Clock units. Returns 0,
 * or -1: too few calls or batches, or so much dependence that the error is unknown. */
int trimmed_mean(const uint64_t *count, uint32_t buckets, const struct stats_batches *b,
		 struct biweight *out);

#endif
