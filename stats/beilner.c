// SPDX-License-Identifier: GPL-3.0-or-later
/* A-priori deviations of a mean measured with a slow clock.
 *
 * Beilner, "Measuring with Slow Clocks", TR-88-003 (1988). They need no sample
 * variance: a duration between k and k + 1 ticks shows k or k + 1 of them, and
 * the mean says how often which.
 */
#include <math.h>

#include "stats.h"

double stats_beilner_deviation(double mean, double d, double n)
{
	double ticks = mean / d;
	double f = ticks - floor(ticks);

	return d * sqrt(f * (1 - f) / n);
}

double stats_beilner_bound(double d, double n)
{
	return d / (2 * sqrt(n));
}
