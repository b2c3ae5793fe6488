// SPDX-License-Identifier: GPL-3.0-or-later
/* Estimation from tick counts: pure functions, numbers in, numbers out.
 *
 * Notation of Beilner, "Measuring with Slow Clocks" (1988): n calls, tick
 * interval d, tick counts C_i; the estimator of a mean duration is
 * d * sum C_i / n (eq. 6), unbiased for any d. Durations are in whatever unit
 * the caller uses throughout; confidence is a probability such as 0.95.
 * No function allocates, fails or keeps state.
 */
#ifndef SCPROF_STATS_H
#define SCPROF_STATS_H

#include <stdint.h>

struct stats_interval {
	double mean, low, high;
	const char *method; /* "t", "beilner-10a", "none": static text */
};

/* Beilner eq. (10a): standard deviation of the mean of n calls whose true mean
 * is `mean`, clock tick d. With f the fractional part of mean/d:
 * d sqrt((f - f^2) / n). */
double stats_beilner_deviation(double mean, double d, double n);

/* Beilner eq. (10b): its bound, d / (2 sqrt n). */
double stats_beilner_bound(double d, double n);

/* Interval for a mean from the sums over calls: `sum` and `sum_sq` of the
 * measured durations, each a multiple of the tick d. Where the tick is far
 * below the mean the sample variance and Student's t are used; where durations
 * span at most two tick counts (max <= min + d), Beilner's (10a). n = 0 gives
 * NANs; one call on a fast clock gives an interval from 0 to infinity. */
struct stats_interval stats_mean_interval(double n, double sum, double sum_sq, double min,
					  double max, double d, double confidence);

/* Value at probability q of a log-linear histogram as defined in
 * scprof_format.h, in units, by linear interpolation inside the bucket.
 * NAN if it is empty. */
double stats_hist_quantile(const uint64_t *count, uint32_t buckets, double q);

/* Least-squares line of time on size over n calls from their sums: *intercept
 * (time a call) and *slope (time a byte). Returns 0, or -1 where the sizes do
 * not vary. Valid for tick counts as well: they are unbiased given the size. */
int stats_line(double n, double sum_x, double sum_xx, double sum_y, double sum_xy,
	       double *intercept, double *slope);

#endif
