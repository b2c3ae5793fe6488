// SPDX-License-Identifier: GPL-3.0-or-later
/* How many calls for how narrow an interval, by the normal approximation.
 *
 * Beilner asks for a total width relative to the mean (13), Danzig and Melvin for
 * an absolute error, the last digit that they print. Both rest on the variance of
 * a tick count with two values, p q or f - f^2.
 */
#include <math.h>

#include <gsl/gsl_cdf.h>

#include "stats/plan.h"
#include "stats/stats.h"

double plan_two_sided_z(double confidence)
{
	return gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);
}

double plan_width_factor(double confidence)
{
	return 2 * plan_two_sided_z(confidence);
}

double plan_width_confidence(double factor)
{
	return erf(factor / 2 / M_SQRT2);
}

double plan_beilner_width(double w, double n, double mean, double d)
{
	return w * beilner_deviation(mean, d, n) / mean;
}

double plan_beilner_calls(double w, double p, double mean, double d)
{
	double k = floor(mean / d), ratio = d / mean;

	return w / p * (w / p) * (1 - k * ratio) * ((1 + k) * ratio - 1);
}

double plan_beilner_calls_short(double w, double p, double mean, double d)
{
	return w / p * (w / p) * (d / mean - 1);
}

double plan_beilner_calls_bound(double w, double p, double mean, double d)
{
	double factor = w / p * d / (2 * mean);

	return factor * factor;
}

double plan_beilner_confidence(double p, double n, double mean, double d)
{
	return plan_width_confidence(p * mean / beilner_deviation(mean, d, n));
}

double plan_last_digit_unit(double mean, unsigned digits)
{
	return pow(10, floor(log10(mean)) + 1 - (double)digits);
}

double plan_danzig_melvin_calls(double error, double mean, double d, double confidence)
{
	double z = plan_two_sided_z(confidence);

	return z * z * d * d * beilner_count_variance(mean / d) / (error * error);
}
