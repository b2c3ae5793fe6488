// SPDX-License-Identifier: GPL-3.0-or-later
/* Confidence interval of a mean duration, from sums of ticks.
 *
 * Which method is sound depends on how the tick compares with the durations;
 * the rule is in stats.h. GSL gives the quantiles.
 */
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>

#include "moments.h"

/* From here on a tick is "far below the mean": what a tick's phase adds to the
 * spread is less than 1/32 of the mean. */
#define FAST_TICKS 16
/* Fewer calls than this with one of two tick counts: no normal approximation. */
#define FEW 10
/* Student's t with more degrees of freedom than this is the normal quantile to 1e-5. */
#define MANY 100000

double stats_variance(const struct stats_sums *s)
{
	double square;

	if (s->n < 2)
		return NAN;
	square = moments_square(s->n, s->sum, s->sum_sq);
	if (square < 0)
		return 0;
	return square / (double)(s->n - 1) * s->unit * s->unit;
}

static struct stats_interval around(double mean, double half, const char *method)
{
	return (struct stats_interval){mean, fmax(0, mean - half), mean + half, method};
}

static struct stats_interval student(const struct stats_sums *s, double mean, double least_var,
				     double confidence)
{
	double p = 0.5 + confidence / 2, t;

	if (s->n < 2)
		return (struct stats_interval){mean, 0, INFINITY, "none"};
	if (s->n > MANY)
		t = gsl_cdf_ugaussian_Pinv(p);
	else
		t = gsl_cdf_tdist_Pinv(p, (double)(s->n - 1));
	return around(mean, t * sqrt(fmax(stats_variance(s), least_var) / (double)s->n), "t");
}

/* Where a distribution function, rising or falling, takes the value `p`. Bisected:
 * GSL's own inverse of the beta distribution gives up on ordinary counts (3 of
 * 60 000) and ends the program. It stops where doubles have no number between. */
static double beta_inverse(double (*cdf)(double x, double a, double b), double a, double b,
			   double p)
{
	bool rising = cdf(1, a, b) > 0.5;
	double low = 0, high = 1, x;

	while ((x = low + (high - low) / 2) > low && x < high) {
		if ((cdf(x, a, b) < p) == rising)
			low = x;
		else
			high = x;
	}
	return x;
}

/* Clopper and Pearson (1934): exact limits of a proportion, x of n. */
static void proportion_limits(double x, double n, double confidence, double *low, double *high)
{
	double tail = (1 - confidence) / 2;

	*low = x > 0 ? beta_inverse(gsl_cdf_beta_P, x, n - x + 1, tail) : 0;
	*high = x < n ? beta_inverse(gsl_cdf_beta_Q, x + 1, n - x, tail) : 1;
}

/* Every call showed `min` or min + tick: how many showed the longer is binomial. */
static struct stats_interval two_counts(const struct stats_sums *s, double mean, double confidence)
{
	double d = (double)s->tick * s->unit, base = (double)s->min * s->unit;
	double n = (double)s->n, low, high;
	double above = (double)((s->sum - (stats_u128)s->n * s->min) / s->tick);

	if (above >= FEW && n - above >= FEW) {
		double z = gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);

		return around(mean, z * stats_beilner_deviation(mean, d, n), "beilner-10a");
	}
	above = fmin(fmax(above, 0), n);
	proportion_limits(above, n, confidence, &low, &high);
	/* All calls alike: the truth may lie on either side of that count. */
	if (s->max == s->min)
		low = -high;
	return (struct stats_interval){mean, fmax(0, base + low * d), base + high * d,
				       "clopper-pearson"};
}

struct stats_interval stats_mean_interval(const struct stats_sums *s, double confidence)
{
	double d = (double)s->tick * s->unit, mean;

	if (s->n == 0)
		return (struct stats_interval){NAN, NAN, NAN, "none"};
	mean = (double)((long double)s->sum / s->n * s->unit);
	if (mean >= FAST_TICKS * d)
		return student(s, mean, d * d / 4, confidence);
	if (s->max - s->min <= s->tick)
		return two_counts(s, mean, confidence);
	return student(s, mean, 0, confidence);
}

double stats_at_least(uint32_t k, uint32_t n, double p)
{
	return k ? gsl_cdf_binomial_Q(k - 1, p, n) : 1;
}
