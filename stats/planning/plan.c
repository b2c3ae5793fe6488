// SPDX-License-Identifier: GPL-3.0-or-later
/* How many calls for how narrow an interval, by the normal approximation.
 *
 * Beilner asks for a total width relative to the mean (13), Danzig and Melvin for an absolute
 * error, the last digit that they print. Both rest on the variance of a tick count with two values,
 * p q or f - f^2. */
#include "stats/planning/plan.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "stats/mean/proportion.h"
#include "stats/numerics/distributions.h"

double plan_two_sided_z(double confidence)
{
	return distributions_t_two_sided(confidence, INFINITY);
}

double plan_width_factor(double confidence)
{
	return 2 * plan_two_sided_z(confidence);
}

double plan_width_confidence(double factor)
{
	return erf(factor / 2 / M_SQRT2);
}

double plan_beilner_calls(double w, double p, double mean, double d)
{
	double k = floor(mean / d), ratio = d / mean;

	return w / p * (w / p) * (1 - k * ratio) * ((1 + k) * ratio - 1);
}

double plan_beilner_calls_bound(double w, double p, double mean, double d)
{
	double factor = w / p * d / (2 * mean);

	return factor * factor;
}

double plan_last_digit_unit(double mean, unsigned digits)
{
	return pow(10, floor(log10(mean)) + 1 - (double)digits);
}

double plan_danzig_melvin_calls(double error, double mean, double d, double confidence)
{
	double z = plan_two_sided_z(confidence);

	return z * z * d * d * plan_beilner_count_variance(mean / d) / (error * error);
}

/* Planning where few ticks are expected, and the normal approximation fails.
 *
 * The interval will be that of Clopper and Pearson, whose width depends on the count seen: what is
 * planned for is its average over the binomial counts. */
/* Counts with less than this probability, relative to the most likely one, are ignored. */
#define NEGLIGIBLE 1e-6

/* As in mean_interval_estimate: if all calls show the same count, the truth may lie on either side
 * of it, but no duration lies below 0. */
static double width_of(double x, double n, double whole, double confidence)
{
	double low, high;

	proportion_clopper_pearson(x, n, confidence, &low, &high);
	if (x == n)
		return 2 * (1 - low);
	if (x == 0 && whole > 0)
		return 2 * high;
	return high - low;
}

/* Weights by the ratio of neighbours, from the likeliest count outwards: nothing
 * overflows, and a large n loses no digits. */
double plan_exact_width(double mean_ticks, double n, double confidence)
{
	double whole = floor(mean_ticks), f = mean_ticks - whole, mode = floor((n + 1) * f);
	double odds = f / (1 - f), weight = 1, sum, weights = 1;

	mode = fmin(mode, n);
	sum = width_of(mode, n, whole, confidence);
	for (double x = mode; x < n && weight > NEGLIGIBLE; x++) {
		weight *= (n - x) / (x + 1) * odds;
		weights += weight;
		sum += weight * width_of(x + 1, n, whole, confidence);
	}
	weight = 1;
	for (double x = mode; x > 0 && weight > NEGLIGIBLE; x--) {
		weight *= x / ((n - x + 1) * odds);
		weights += weight;
		sum += weight * width_of(x - 1, n, whole, confidence);
	}
	return sum / weights;
}

double plan_exact_calls(double mean_ticks, double width, double confidence)
{
	double enough = 1, short_of = 0;

	if (!(width > 0) || !(mean_ticks > 0))
		return NAN;
	while (plan_exact_width(mean_ticks, enough, confidence) > width) {
		short_of = enough;
		enough *= 2;
		if (enough > 1e15)
			return INFINITY;
	}
	while (enough - short_of > 1) {
		double middle = floor(short_of + (enough - short_of) / 2);

		if (plan_exact_width(mean_ticks, middle, confidence) > width)
			short_of = middle;
		else
			enough = middle;
	}
	return enough;
}

/* Tick counts on a clock whose ticks vary: a stationary renewal process with spacings
 * uniform over (1/2, 3/2). With m(s) the density of a tick at distance s from one,
 *   E C (C - 1) = 2 integral from 0 to T of (T - s) m(s) ds   (Cox, Renewal Theory, 1962),
 * and m is the sum of the densities of one, two and three spacings as far as 2. */
double plan_random_tick_variance(double mean_ticks)
{
	double t = mean_ticks, pairs = 0; /* E C (C - 1) */

	if (t >= 2) /* Cox, section 4.5: spacings of variance 1/12 and third moment 0 */
		return t / 12 + 1.0 / 6 + 1.0 / 288;
	if (t > 0.5)
		pairs = t < 1.5 ? pow(t - 0.5, 2) : 2 * (t - 1);
	if (t > 1)
		pairs += pow(t - 1, 3) / 3;
	if (t > 1.5)
		pairs += pow(t - 1.5, 4) / 12;
	return t + pairs - t * t;
}

/* How many more calls, judged by those made.
 *
 * The standard error falls with the square root of the calls. Beside it an interval has a part that
 * falls faster: what an exact interval adds for few ticks (about half a tick on each side), what
 * skewness adds to Student's t. With u = sqrt(n/n')
 *   half width (n') = s u (q + (c - q) u),
 * c the half width now in standard errors s, q the quantile for many calls. And the error of what
 * was subtracted stays as it is. */
/* A long run keeps 32 to 63 batches, some of them dependent. This is their approximate number of
 * degrees of freedom, however many calls there are. */
#define LASTING_FREEDOM 40
/* Wilson and Hilferty's approximation is too inaccurate below this. */
#define LEAST_FREEDOM 2

/* The factor by which the true standard error may exceed the estimate: root of freedom over the
 * lower quantile of chi-square, by Wilson and Hilferty (1931), within 1 %. */
static double error_reserve(double freedom)
{
	double part = 2 / (9 * fmax(freedom, LEAST_FREEDOM));

	return pow(1 - part - gsl_cdf_ugaussian_Pinv(PLAN_ASSURANCE) * sqrt(part), -1.5);
}

double plan_calls_forecast(const struct stats_finished *f, double confidence, double p)
{
	double half = (f->high - f->low) / 2, target = p * f->mean / 2, s, c, q, a, b, u;
	double fixed = plan_two_sided_z(confidence) * f->fixed;

	if (!(f->mean > 0) || !isfinite(half) || !isfinite(f->error) || !(f->n >= 2))
		return NAN;
	if (half <= target)
		return f->n;
	if (target <= fixed)
		return INFINITY;
	s = sqrt(fmax(0, f->error * f->error - f->fixed * f->fixed));
	if (!(s > 0))
		return NAN;
	target = sqrt(target * target - fixed * fixed);
	q = distributions_t_two_sided(confidence, LASTING_FREEDOM);
	c = fmax(q, sqrt(fmax(0, half * half - fixed * fixed)) / s);
	s *= error_reserve(f->freedom);
	a = (c - q) * s;
	b = q * s;
	/* solution of a u^2 + b u = target, in a form that allows a = 0 */
	u = 2 * target / (b + sqrt(b * b + 4 * a * target));
	return fmax(f->n, f->n / (u * u));
}

/* The a-priori forms need no sample variance: a duration between k and k + 1 ticks shows k or k + 1
 * of them, and the mean says how often each. */
double plan_beilner_count_variance(double mean_ticks)
{
	double f = mean_ticks - floor(mean_ticks);

	return f - f * f;
}

double plan_beilner_deviation(double mean, double d, double n)
{
	return d * sqrt(plan_beilner_count_variance(mean / d) / n);
}

double plan_beilner_bound(double d, double n)
{
	return d / (2 * sqrt(n));
}
