// SPDX-License-Identifier: GPL-3.0-or-later
/* Tick counts on a clock whose ticks vary: a stationary renewal process with spacings
 * uniform over (1/2, 3/2). With m(s) the density of a tick at distance s from one,
 *   E C (C - 1) = 2 integral from 0 to T of (T - s) m(s) ds   (Cox, Renewal Theory, 1962),
 * and m is the sum of the densities of one, two and three spacings as far as 2. */
#include <math.h>

#include "stats/plan.h"

double renewal_randomised_count_variance(double mean_ticks)
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
