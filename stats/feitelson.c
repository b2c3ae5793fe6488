// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals from repeated measurements of the same thing, as in Feitelson's
 * lecture on measuring: the values need not be durations of single calls, they can
 * be means of batches, runs or replications, which makes them near enough normal. */
#include <math.h>

#include "stats/plan.h"
#include "stats/distributions.h"

/* Centred first: squares of near-equal values would cancel. */
double feitelson_sample_deviation(const double *value, size_t n)
{
	double mean = 0, square = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		mean += value[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (value[i] - mean) * (value[i] - mean);
	return sqrt(square / (double)(n - 1));
}

double feitelson_half_width(double s, double n, double confidence)
{
	if (!(n >= 2))
		return n == 1 ? INFINITY : NAN;
	return distributions_t_quantile(0.5 + confidence / 2, n - 1) * s / sqrt(n);
}
