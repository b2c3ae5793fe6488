// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds sites whose calls cannot be distinguished, by variance inflation (the diagonal of the
 * inverse of the correlations, Marquardt 1970). The worst site joins the sites that explain it, and
 * the test is repeated until no site is explained by others. */
#include "stats/regression/site_costs.h"

#include <math.h>

#define SINGULAR 1e-10
/* Calls of a site per span that the others do not explain. Smaller numbers are only calls in
 * progress at the edge. */
#define EDGE_CALLS 1.5
/* Minimum standardised coefficient of a site that explains another. */
#define PART 0.1

void collinearity_sweep(double *a, size_t n, bool *out)
{
	for (size_t p = 0; p < n; p++) {
		double pivot = a[p * n + p];

		out[p] = out[p] || !(fabs(pivot) > SINGULAR);
		if (out[p])
			continue;
		for (size_t i = 0; i < n; i++) {
			double factor = a[i * n + p] / pivot;

			if (i == p || (i < p && out[i]))
				continue;
			for (size_t k = 0; k < n; k++)
				if (k != p)
					a[i * n + k] -= factor * a[p * n + k];
			a[i * n + p] = -factor;
		}
		for (size_t k = 0; k < n; k++)
			a[p * n + k] = k == p ? 1 / pivot : a[p * n + k] / pivot;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (out[i] || out[k])
				a[i * n + k] = 0;
}

void collinearity_invert(double *a, size_t n)
{
	double scale[SITE_COSTS_MOST + 1];
	bool out[SITE_COSTS_MOST + 1];

	for (size_t i = 0; i < n; i++) {
		scale[i] = a[i * n + i] > 0 ? 1 / sqrt(a[i * n + i]) : 0;
		out[i] = false;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			a[i * n + k] *= scale[i] * scale[k];
	collinearity_sweep(a, n, out);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			a[i * n + k] *= scale[i] * scale[k];
}

/* Cross products of the sums of each remaining group. */
static size_t collect(const double *product, size_t n, const size_t *group, const bool *steady,
		      double *sums, size_t *of)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (group[i] == i && !steady[i])
			of[m++] = i;
	for (size_t a = 0; a < m; a++)
		for (size_t b = 0; b < m; b++) {
			double sum = 0;

			for (size_t i = 0; i < n; i++)
				for (size_t k = 0; k < n; k++)
					if (group[i] == of[a] && group[k] == of[b])
						sum += product[i * n + k];
			sums[a * m + b] = sum;
		}
	return m;
}

/* How much the others inflate the variance of column p. The diagonal of the correlations is raised
 * a little, so that a linear combination of other columns is found and not dropped. */
static void inflations(const double *sums, size_t m, double *inverse)
{
	for (size_t a = 0; a < m; a++)
		for (size_t b = 0; b < m; b++) {
			double scale = sqrt(sums[a * m + a] * sums[b * m + b]);

			inverse[a * m + b] = scale > 0 ? sums[a * m + b] / scale : 0;
			if (a == b)
				inverse[a * m + b] = 1 + 1e-8;
		}
	collinearity_invert(inverse, m);
}

static void join(size_t *group, size_t n, size_t a, size_t b)
{
	size_t low = a < b ? a : b, high = a < b ? b : a;

	for (size_t i = 0; i < n; i++)
		if (group[i] == high)
			group[i] = low;
}

/* The worst column joins those whose (standardised) coefficients explain it, -inverse[p][k] /
 * inverse[p][p]; it always joins the strongest. */
static void join_those(size_t *group, size_t n, const size_t *of, const double *inverse, size_t m,
		       size_t p)
{
	size_t strongest = p ? 0 : 1;
	size_t root = of[p];

	for (size_t k = 0; k < m; k++)
		if (k != p && fabs(inverse[p * m + k]) > fabs(inverse[p * m + strongest]))
			strongest = k;
	for (size_t k = 0; k < m; k++) {
		if (k == p ||
		    (k != strongest && fabs(inverse[p * m + k]) <= PART * fabs(inverse[p * m + p])))
			continue;
		join(group, n, root, of[k]);
		root = root < of[k] ? root : of[k];
	}
}

/* The column that the others explain best, if they explain it too well; m: none. */
static size_t worst(const double *sums, const double *inverse, size_t m, double spans)
{
	double most = 0;
	size_t p = m;

	for (size_t a = 0; a < m; a++) {
		double inflation = inverse[a * m + a];
		double left = sqrt(sums[a * m + a] / inflation / spans);

		if ((inflation > SITE_COSTS_INFLATION || (left < EDGE_CALLS && inflation > 2)) &&
		    inflation > most) {
			most = inflation;
			p = a;
		}
	}
	return p;
}

void collinearity_find(const double *product, size_t n, double spans, const bool *steady,
		       size_t *group, double *inflation, double *room)
{
	double *sums = room, *inverse = room + n * n;
	size_t of[SITE_COSTS_MOST], m, p;

	for (size_t i = 0; i < n; i++) {
		group[i] = i;
		inflation[i] = 1;
	}
	for (;;) {
		m = collect(product, n, group, steady, sums, of);
		inflations(sums, m, inverse);
		p = m > 1 ? worst(sums, inverse, m, spans) : m;
		if (p == m)
			break;
		join_those(group, n, of, inverse, m, p);
	}
	for (size_t a = 0; a < m; a++)
		for (size_t i = 0; i < n; i++)
			if (group[i] == of[a])
				inflation[i] = inverse[a * m + a];
}
