// SPDX-License-Identifier: GPL-3.0-or-later
/* The mean measured with a slow clock, and its variance.
 *
 * Beilner, "Measuring with Slow Clocks", TR-88-003 (1988). The a-priori forms need
 * no sample variance: a duration between k and k + 1 ticks shows k or k + 1 of
 * them, and the mean says how often which.
 */
#include <math.h>

#include "stats/plan.h"
#include "stats/stats.h"

double stats_beilner_mean(double ticks, double n, double d)
{
	return d * ticks / n;
}

double stats_beilner_count_variance(double mean_ticks)
{
	double f = mean_ticks - floor(mean_ticks);

	return f - f * f;
}

double stats_beilner_variance(double count_variance, double n, double d)
{
	return d * d * count_variance / n;
}

double stats_beilner_deviation(double mean, double d, double n)
{
	return sqrt(stats_beilner_variance(stats_beilner_count_variance(mean / d), n, d));
}

double stats_beilner_bound(double d, double n)
{
	return d / (2 * sqrt(n));
}

double stats_beilner_dependent_variance(const double *covariance, size_t lags, double n, double d)
{
	double sum = lags ? n * covariance[0] : 0;

	for (size_t l = 1; l < lags && (double)l < n; l++)
		sum += 2 * (n - (double)l) * covariance[l];
	return d * d * sum / (n * n);
}

double stats_beilner_contiguous_variance(double var, double n, double d)
{
	return var / n + d * d / (6 * n * n);
}

double stats_beilner_contiguous_deviation(double var, double n, double d)
{
	return sqrt(stats_beilner_contiguous_variance(var, n, d));
}
