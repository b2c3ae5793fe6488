// SPDX-License-Identifier: GPL-3.0-or-later
/* Medians within rounds, because interruptions only make a batch longer; means over rounds, because
 * their interval is known. */
#include "collector/clocks/rounds.h"

#include <math.h>
#include <stdlib.h>

#include "stats/mean/replications.h"
#include "stats/planning/plan.h"

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double rounds_median(double *value, size_t count)
{
	if (!count)
		return NAN;
	qsort(value, count, sizeof(*value), by_size);
	return value[(count - 1) / 2];
}

struct rounds_mean rounds_interval(const double *value, size_t count, double confidence)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i];
	struct rounds_mean m = {count ? sum / (double)count : NAN, NAN, NAN};
	if (count < 2)
		return m;
	double half = replications_half_width(replications_deviation(value, count), (double)count,
					      confidence);
	m.low = m.mean - half;
	m.high = m.mean + half;
	return m;
}
