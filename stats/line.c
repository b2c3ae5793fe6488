// SPDX-License-Identifier: GPL-3.0-or-later
/* A straight line of time on size, from sums.
 *
 * Splits what a site costs into a price per call and a price per byte. Sums of
 * large sizes cancel badly in floating point, hence the integers.
 */
#include <math.h>

#include "stats/moments.h"
#include "stats/distributions.h"

int line_fit(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y, stats_u128 sum_xy,
	     double *intercept, double *slope)
{
	double sxx;

	if (n < 2)
		return -1;
	sxx = moments_square(n, sum_x, sum_xx);
	if (sxx <= 0)
		return -1;
	*slope = moments_product(n, sum_x, sum_y, sum_xy) / sxx;
	*intercept = (double)(((long double)sum_y - (long double)*slope * sum_x) / n);
	return 0;
}

double line_half_width(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y,
		       stats_u128 sum_yy, double slope, double confidence)
{
	double sxx, left;

	if (n < 3)
		return INFINITY;
	sxx = moments_square(n, sum_x, sum_xx);
	if (sxx <= 0)
		return INFINITY;
	left = fmax(0, moments_square(n, sum_y, sum_yy) - slope * slope * sxx);
	return distributions_t_quantile(0.5 + confidence / 2, (double)(n - 2)) *
	       sqrt(left / (double)(n - 2) / sxx);
}
