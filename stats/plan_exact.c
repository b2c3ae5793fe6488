// SPDX-License-Identifier: GPL-3.0-or-later
/* Planning where few ticks are expected, and the normal approximation is none.
 *
 * The interval will be that of Clopper and Pearson, whose width depends on the count
 * that comes out: what is planned for is its average over the binomial counts.
 */
#include <math.h>

#include "stats/plan.h"
#include "stats/proportion.h"

/* Counts less likely than this, relative to the likeliest, no longer matter. */
#define NEGLIGIBLE 1e-6

/* As mean_interval_estimate has it: where all calls show the same count, the truth may lie on
 * either side of that, but no duration lies below 0. */
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
