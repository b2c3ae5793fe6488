// SPDX-License-Identifier: GPL-3.0-or-later
/* Has a mean changed? Tests of one site, and of many at once.
 *
 * A change is a ratio, new mean over base mean. No change is an interval of ratios, because a test
 * of "exactly 1" finds any difference, however small, if the runs are long enough; and it may
 * include a random part that differs from run to run.
 *
 * Pure functions: none allocates, fails or keeps state; any thread may call them.
 */
#ifndef SCPROF_STATS_COMPARE_COMPARE_H
#define SCPROF_STATS_COMPARE_COMPARE_H

#include <stddef.h>

/* One side: an estimate and its standard error, which includes the dependence of calls (the design
 * effect), with the degrees of freedom of that error. */
struct compare_mean {
	double mean, error, freedom;
};

/* One side where ticks are few: effective events and exposure (effective calls); their ratio is the
 * mean in ticks. Events may be 0 and need not be whole. */
struct compare_count {
	double events, exposure;
};

/* What is no change: a ratio within [low, high], 0 < low <= high, times a random factor of relative
 * variance `between` (of the ratio, from run to run), whose estimate has `freedom` degrees of
 * freedom in all; INFINITY where it adds no uncertainty. */
struct compare_null {
	double low, high, between, freedom;
};

/* Welch (1947): t of two means of unequal variance, with Satterthwaite's (1946) degrees
 * of freedom (v1 + v2)^2 / (v1^2 / f1 + v2^2 / f2), v the squared errors. */
struct compare_welch {
	double difference, error; /* new - base */
	double t, freedom, p;	  /* p: two-sided */
};
struct compare_welch compare_welch(const struct compare_mean *base, const struct compare_mean *new);

/* Probability, under the null, of a ratio as far from it as this or farther. The contrast new -
 * ratio base is linear, so only Satterthwaite's is an approximation; both ends of the null are
 * added up, as McCarthy and Smyth (2009, "TREAT") do, which is the two-sided test where low = high.
 * A base mean below 0 (compensated for overhead) counts as 0. 1 where an error is not known. */
double compare_ratio_p(const struct compare_mean *base, const struct compare_mean *new,
		       const struct compare_null *null);

/* Interval of the ratio by Fieller (1954): those ratios whose contrast with the data is within t,
 * the null's `between` and `freedom` included. 0 to INFINITY where the base mean may be 0. */
void compare_ratio_limits(const struct compare_mean *base, const struct compare_mean *new,
			  const struct compare_null *null, double confidence, double *low,
			  double *high);

/* The same for counts: given their sum, the new side's events are binomial with odds ratio x
 * exposure (Przyborowski and Wilenski 1940); half the probability of the outcome itself (mid-P),
 * since the exact test of so few is far too conservative. */
double compare_counts_p(const struct compare_count *base, const struct compare_count *new,
			const struct compare_null *null);
void compare_counts_limits(const struct compare_count *base, const struct compare_count *new,
			   const struct compare_null *null, double confidence, double *low,
			   double *high);

/* The same for a ratio of which only the logarithm is known: probability of one as far beyond
 * +-margin as this under Student's t. */
double compare_effect_p(double effect, double error, double freedom, double margin);

/* How large a change of one site among `tests` tests must be, beyond the null's `margin`
 * on the logarithm, to be found with probability `power` by a ratio whose logarithm has
 * this error and freedom: margin + (t_{1 - (1-confidence)/(2 tests)} + t_power) error. A
 * logarithm: exp(.) - 1 is the change. */
double compare_detectable(double error, double freedom, double margin, double tests,
			  double confidence, double power);

#endif
