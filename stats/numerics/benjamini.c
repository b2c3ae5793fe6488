// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/numerics/benjamini.h"

#include <math.h>
#include <stdlib.h>

static int by_p(const void *left, const void *right, void *values)
{
	const double *p = values;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	if (p[a] != p[b])
		return p[a] < p[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

void benjamini_q_values(const double *p, double *q, size_t n, size_t *order)
{
	double least = 1;
	size_t tests = 0;

	for (size_t i = 0; i < n; i++) {
		q[i] = NAN;
		if (!isnan(p[i]))
			order[tests++] = i;
	}
	qsort_r(order, tests, sizeof(*order), by_p, (void *)p);
	for (size_t rank = tests; rank > 0; rank--) {
		size_t i = order[rank - 1];

		least = fmin(least, p[i] * (double)tests / (double)rank);
		q[i] = least;
	}
}
