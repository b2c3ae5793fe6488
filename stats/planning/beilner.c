// SPDX-License-Identifier: GPL-3.0-or-later
/* The mean measured with a slow clock, and its variance.
 *
 * Beilner, "Measuring with Slow Clocks", TR-88-003 (1988). The a-priori forms need no sample
 * variance: a duration between k and k + 1 ticks shows k or k + 1 of them, and the mean says how
 * often each.
 */
#include <math.h>

#include "stats/planning/beilner.h"
#include "stats/planning/plan.h"
#include "stats/stats.h"

double beilner_mean(double ticks, double n, double d)
{
	return d * ticks / n;
}

double beilner_count_variance(double mean_ticks)
{
	double f = mean_ticks - floor(mean_ticks);

	return f - f * f;
}

double beilner_variance(double count_variance, double n, double d)
{
	return d * d * count_variance / n;
}

double beilner_deviation(double mean, double d, double n)
{
	return sqrt(beilner_variance(beilner_count_variance(mean / d), n, d));
}

double beilner_bound(double d, double n)
{
	return d / (2 * sqrt(n));
}

double beilner_dependent_variance(const double *covariance, size_t lags, double n, double d)
{
	double sum = lags ? n * covariance[0] : 0;

	for (size_t l = 1; l < lags && (double)l < n; l++)
		sum += 2 * (n - (double)l) * covariance[l];
	return d * d * sum / (n * n);
}

double beilner_contiguous_variance(double var, double n, double d)
{
	return var / n + d * d / (6 * n * n);
}

double beilner_contiguous_deviation(double var, double n, double d)
{
	return sqrt(beilner_contiguous_variance(var, n, d));
}
