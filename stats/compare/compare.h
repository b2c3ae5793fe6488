// SPDX-License-Identifier: GPL-3.0-or-later
/* Has a mean changed? Tests of one site, and of many at once.
 *
 * A change is a ratio, new mean over base mean. "No change" is an interval of ratios, because with
 * long runs a test of "exactly 1" finds any difference, however small. It may include a random part
 * that differs from run to run. */
#pragma once

/* One side: an estimate and its standard error, which includes the dependence of calls (the design
 * effect), with the degrees of freedom of the error. */
struct compare_mean {
	double mean, error, freedom;
};

/* One side with few ticks: effective events and exposure (effective calls). Their ratio is the mean
 * in ticks. Events may be 0 and need not be whole. */
struct compare_count {
	double events, exposure;
};

/* The null hypothesis: the ratio is within [low, high], 0 < low <= high, times a random factor with
 * relative variance `between` (of the ratio, from run to run). The estimate of that variance has
 * `freedom` degrees of freedom in all; INFINITY: it adds no uncertainty. */
struct compare_null {
	double low, high, between, freedom;
};

/* Probability, under the null, of a ratio at least as far from it as this one. The contrast new -
 * ratio base is linear, so only the degrees of freedom by Satterthwaite (1946) are an
 * approximation. Both ends of the null are added up as by McCarthy and Smyth (2009, "TREAT"); if
 * low = high, this is the two-sided test, and that of Welch (1947) where both are 1. A base mean
 * below 0 (compensated for overhead) counts as 0. Returns 1 if an error is unknown. */
double compare_ratio_p(const struct compare_mean *base, const struct compare_mean *new,
		       const struct compare_null *null);

/* Interval of the ratio by Fieller (1954): the ratios whose contrast with the data is within t,
 * with the null's `between` and `freedom`. 0 to INFINITY if the base mean may be 0. A new mean
 * below 0 counts as 0. */
void compare_ratio_limits(const struct compare_mean *base, const struct compare_mean *new,
			  const struct compare_null *null, double confidence, double *low,
			  double *high);

/* The same for counts. Given their sum, the new side's events are binomial with odds ratio x
 * exposure (Przyborowski and Wilenski 1940). The outcome itself counts with half its probability
 * (mid-P), since the exact test is far too conservative for few events. */
double compare_counts_p(const struct compare_count *base, const struct compare_count *new,
			const struct compare_null *null);
void compare_counts_limits(const struct compare_count *base, const struct compare_count *new,
			   const struct compare_null *null, double confidence, double *low,
			   double *high);

/* The same for a ratio known only by its logarithm: probability of a value at least this far beyond
 * +-margin under Student's t. */
double compare_effect_p(double effect, double error, double freedom, double margin);

/* The smallest change of one site among `tests` tests that is found with probability `power`:
 * margin + (t_{1 - (1-confidence)/(2 tests)} + t_power) error. `error` and `freedom` are those of
 * the logarithm of the ratio, `margin` is the null's. The result is a logarithm; the change is
 * exp(.) - 1. */
double compare_detectable(double error, double freedom, double margin, double tests,
			  double confidence, double power);
