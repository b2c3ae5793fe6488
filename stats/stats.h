// SPDX-License-Identifier: GPL-3.0-or-later
/* Estimation from tick counts: pure functions, numbers in, numbers out.
 *
 * Notation of Beilner, "Measuring with Slow Clocks" (1988): n calls, tick
 * interval d, tick counts C_i; the estimator of a mean duration is
 * d * sum C_i / n (eq. 6), unbiased for any d. Durations are in whatever unit
 * the caller uses throughout; confidence is a probability such as 0.95.
 * No function allocates, fails or keeps state.
 */
#ifndef SCPROF_STATS_STATS_H
#define SCPROF_STATS_STATS_H

#include <stdint.h>

typedef unsigned __int128 stats_u128;

/* Sums over the measured durations, each a multiple of the tick. They stay
 * integers: a variance from sums kept in floating point is noise as soon as
 * the deviation is far below the mean. */
struct stats_sums {
	uint64_t n, sum;
	stats_u128 sum_sq;
	uint64_t min, max;
	uint64_t tick; /* resolution of the clock in its units, at least 1 */
	double unit;   /* length of a clock unit; results are in this measure */
};

/* Sums over consecutive batches of `calls` calls each, oldest first; the last calls
 * of a thread may be in none, and all those of a thread that made too few. */
struct stats_batches {
	uint64_t calls;
	uint32_t count; /* 0: none known */
	const uint64_t *sum;
};

/* Calls in no batch: sums over the stretches of them (the end of a thread's calls, or all that
 * a thread made), of n calls and t units each. */
struct stats_apart {
	double stretches; /* 0: all such calls are one */
	double calls_sq;  /* n^2 */
	double calls_sum; /* n t */
	double sum_sq;	  /* t^2 */
};

/* What is known of the calls of one site. */
struct stats_sample {
	struct stats_sums sums;
	struct stats_batches batches;
	const uint64_t *phase; /* STATS_PHASES bins of where in the tick calls began; or NULL */
	struct stats_apart apart;
};
#define STATS_PHASES 32

/* Why an interval may not hold: see docs/coverage.md. */
enum stats_unreliable {
	STATS_SYNCHRONOUS = 1,	   /* "clock-synchronous": calls begin at preferred phases */
	STATS_FEW_INDEPENDENT = 2, /* "too-few-independent-batches" */
	STATS_HEAVY_TAIL = 4	   /* "heavy-tail": a few calls make the mean */
};
/* Fewer calls, without batches and phases, are too few for any of them. */
#define STATS_RELIABLE_CALLS 8

/* A mean with what can be said of it. */
struct mean_interval {
	double mean, low, high; /* low >= 0 */
	const char *method;	/* static text: "clopper-pearson", "t", "batch-t", "none" */
	double error;	/* standard error of the mean, dependence included; INFINITY: unknown */
	double freedom; /* degrees of freedom of `error` */
	double design_effect; /* variance of the mean over that of independent calls; NAN: unknown
			       */
	unsigned unreliable;  /* enum stats_unreliable, or-ed */
};

/* Mean and interval of durations on any clock. The one rule, chosen by simulation
 * (docs/coverage.md):
 *   "clopper-pearson"  fewer than 100 effective ticks, most calls without one: exact
 *                      binomial limits on effective counts (Korn and Graubard 1998).
 *                      Where all calls show the same count, the truth may lie on
 *                      either side of it.
 *   "batch-t"          Student's t on the error between batches, which holds the
 *                      dependence of calls; contiguous calls, whose batches exchange
 *                      ticks, by Beilner's (10c).
 *   "t"                too few batches, and no sign of dependence: Student's t on the
 *                      calls' own variance, not taken below the d^2/4 of (10b) where the
 *                      mean is 16 ticks or more.
 *   "none"             no call: NANs. One call of a fast clock: 0 to infinity.
 * Calls in no batch add what they scatter by beyond what batches foretell, stretch by
 * stretch (unbatched.h): in design_effect, error and freedom.
 * Intervals by t are moved towards a long tail (Johnson 1978). Nothing is subtracted
 * for overhead here. Needs up to about 2 kB of stack. */
struct mean_interval mean_interval_estimate(const struct stats_sample *s, double confidence);

/* Beilner eq. (10a): standard deviation of the mean of n calls whose true mean
 * is `mean`, clock tick d. With f the fractional part of mean/d:
 * d sqrt((f - f^2) / n). */
double beilner_deviation(double mean, double d, double n);

/* Beilner eq. (10b): its bound, d / (2 sqrt n). */
double beilner_bound(double d, double n);

/* Sample variance (divisor n - 1), in units of `unit` squared, from the exact
 * integer sums. NAN for n < 2; 0 where the sums contradict each other. */
double sample_variance(const struct stats_sums *s);

/* Probability of at least k successes in n independent trials of probability p. */
double sample_at_least(uint32_t k, uint32_t n, double p);

/* Value at probability q of a log-linear histogram as defined in
 * scprof_format.h, in units, by linear interpolation inside the bucket.
 * NAN if it is empty. */
double histogram_quantile(const uint64_t *count, uint32_t buckets, double q);

/* Least-squares line of time on size over n calls from their exact sums:
 * *intercept (time a call) and *slope (time a byte), in the units of y.
 * Returns 0, or -1 where the sizes do not vary (or the sums contradict each
 * other). Valid for tick counts as well: they are unbiased given the size. */
int line_fit(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y, stats_u128 sum_xy,
	     double *intercept, double *slope);

/* How far the true slope may be from that of line_fit, which gave `slope`:
 * half the width of its interval at `confidence`, by Student's t with n - 2 degrees
 * of freedom on what the line leaves unexplained. INFINITY where fewer than three
 * calls or equal sizes say nothing. It holds chance only: where a few sizes
 * belong to different work, the slope is that difference, however sure. */
double line_half_width(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y,
		       stats_u128 sum_yy, double slope, double confidence);

#endif
