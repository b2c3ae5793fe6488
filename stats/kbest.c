// SPDX-License-Identifier: GPL-3.0-or-later
/* K-best: when may the fastest of several measurements be believed?
 *
 * The Kth fastest lies within (1 + epsilon) of the fastest exactly if K values
 * do, so counting takes the place of sorting, and the order of measurement,
 * which tells when the answer was first known, is kept.
 */
#include <math.h>

#include "stats/replications.h"

static size_t count_up_to(const double *x, size_t n, double limit)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += x[i] <= limit;
	return count;
}

static double least_above(const double *x, size_t n, double floor)
{
	double least = INFINITY;

	for (size_t i = 0; i < n; i++)
		if (x[i] > floor && x[i] < least)
			least = x[i];
	return least;
}

static double kth_fastest(const double *x, size_t n, size_t k)
{
	double value = least_above(x, n, -INFINITY);

	while (count_up_to(x, n, value) < k)
		value = least_above(x, n, value);
	return value;
}

struct kbest kbest_find(const double *x, size_t n, size_t k, double epsilon)
{
	struct kbest best = {.value = NAN, .spread = NAN};
	double fastest = INFINITY;
	size_t near = 0;

	if (!n || !k)
		return best;
	for (size_t i = 0; i < n; i++) {
		if (x[i] < fastest) {
			fastest = x[i];
			near = count_up_to(x, i + 1, fastest * (1 + epsilon));
		} else {
			near += x[i] <= fastest * (1 + epsilon);
		}
		if (near < k)
			best.measurements = 0; /* what agreed was slow for some reason */
		else if (!best.measurements)
			best.measurements = i + 1;
	}
	best.value = least_above(x, n, -INFINITY);
	if (k <= n && best.value > 0)
		best.spread = kth_fastest(x, n, k) / best.value - 1;
	return best;
}
