// SPDX-License-Identifier: GPL-3.0-or-later
/* The mean of durations measured with a slow clock, and its variance: Beilner, "Measuring with Slow
 * Clocks", TR-88-003 (1988).
 *
 * Durations are in the caller's unit; `d` is the clock's tick interval. Arguments outside their
 * range give NAN or infinity, as the formula does. tests/unit/stats/test_seeds_beilner.c compares
 * these with every number that the paper prints.
 */
#ifndef SCPROF_STATS_PLANNING_BEILNER_H
#define SCPROF_STATS_PLANNING_BEILNER_H

#include <stddef.h>

/* Eq. (6b): the estimate of the mean from `ticks` counted in `n` calls. */
double beilner_mean(double ticks, double n, double d);

/* Eq. (9c): variance of the tick count of one call, for durations that vary so
 * little that they show at most two adjacent counts (8): f - f^2, f the fractional
 * part of mean_ticks. */
double beilner_count_variance(double mean_ticks);

/* Eq. (7c): variance of the mean of n independent calls, from the variance of the
 * tick count of one: d^2 VC / n. */
double beilner_variance(double count_variance, double n, double d);

/* Eq. (11) for calls of one kind in a row: variance of the mean of n calls whose
 * tick counts have covariance[l] at distance l; covariance[0] is the variance, and
 * from distance `lags` on there is none. The double sum over j != i becomes
 * 2 sum (n - l) covariance[l]. Times d^2, as in (7c). */
double beilner_dependent_variance(const double *covariance, size_t lags, double n, double d);

/* Eq. (10c) and (10d): variance and deviation of the mean of n contiguous calls
 * (each begins where the one before ended) whose durations have variance `var`
 * and are independent: var/n + d^2 / (6 n^2). */
double beilner_contiguous_variance(double var, double n, double d);
double beilner_contiguous_deviation(double var, double n, double d);

/* Beilner eq. (10a): standard deviation of the mean of n calls whose true mean
 * is `mean`, clock tick d. With f the fractional part of mean/d:
 * d sqrt((f - f^2) / n). */
double beilner_deviation(double mean, double d, double n);

/* Beilner eq. (10b): its bound, d / (2 sqrt n). */
double beilner_bound(double d, double n);

#endif
