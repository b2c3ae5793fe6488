// SPDX-License-Identifier: GPL-3.0-or-later
/* Arguments that GSL would loop or fail on never reach it. */
#include "stats/numerics/distributions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_psi.h>

#define MANY  1e5
#define KNOWN 64
#define LEAST 0.999 /* 1, with tolerance for rounding */

__attribute__((constructor)) static void turn_handler_off(void)
{
	gsl_set_error_handler_off();
}

static bool is_probability(double p)
{
	return p >= 0 && p <= 1;
}

static bool is_positive(double x)
{
	return x > 0 && isfinite(x);
}

/* The sites of a report have few different numbers of degrees of freedom: each is searched once. */
static double t_quantile(double p, double freedom)
{
	static _Thread_local struct {
		double p, freedom, quantile;
	} known[KNOWN], *k;

	k = &known[(unsigned)freedom % KNOWN];
	if (k->p != p || k->freedom != freedom) {
		k->quantile = gsl_cdf_tdist_Pinv(p, freedom);
		k->p = p;
		k->freedom = freedom;
	}
	return k->quantile;
}

double distributions_t_quantile(double p, double freedom)
{
	if (!is_probability(p) || !(freedom >= LEAST))
		return NAN;
	return freedom > MANY ? gsl_cdf_ugaussian_Pinv(p) : t_quantile(p, freedom);
}

double distributions_t_two_sided(double confidence, double freedom)
{
	return distributions_t_quantile(0.5 + confidence / 2, freedom);
}

double distributions_cautious_design(double design, double confidence, double freedom)
{
	double z = distributions_t_two_sided(confidence, INFINITY);
	double t = distributions_t_two_sided(confidence, freedom);

	return design * t * t / (z * z);
}

double distributions_t_upper(double t, double freedom)
{
	if (isnan(t) || !(freedom >= LEAST))
		return NAN;
	return freedom > MANY || isinf(t) ? gsl_cdf_ugaussian_Q(t) : gsl_cdf_tdist_Q(t, freedom);
}

double distributions_beta_lower(double x, double a, double b)
{
	return is_probability(x) && is_positive(a) && is_positive(b) ? gsl_cdf_beta_P(x, a, b)
								     : NAN;
}

double distributions_beta_upper(double x, double a, double b)
{
	return is_probability(x) && is_positive(a) && is_positive(b) ? gsl_cdf_beta_Q(x, a, b)
								     : NAN;
}

double distributions_gamma_upper(double x, double shape)
{
	return x >= 0 && is_positive(shape) ? gsl_cdf_gamma_Q(x, shape, 1) : NAN;
}

double distributions_binomial_upper(unsigned k, double p, unsigned n)
{
	return is_probability(p) ? gsl_cdf_binomial_Q(k, p, n) : NAN;
}

double distributions_digamma(double x)
{
	return is_positive(x) ? gsl_sf_psi(x) : NAN;
}

double distributions_trigamma(double x)
{
	return is_positive(x) ? gsl_sf_psi_1(x) : NAN;
}

double distributions_tetragamma(double x)
{
	return is_positive(x) ? gsl_sf_psi_n(2, x) : NAN;
}

double distributions_binomial_at_least(uint32_t k, uint32_t n, double p)
{
	return k ? distributions_binomial_upper(k - 1, p, n) : 1;
}

static int by_p(const void *left, const void *right, void *values)
{
	const double *p = values;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	if (p[a] != p[b])
		return p[a] < p[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

int distributions_q_values(double *p, size_t n)
{
	size_t *order = calloc(n + 1, sizeof(*order)), tests = 0;
	double least = 1;

	if (!order)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[tests++] = i;
	qsort_r(order, tests, sizeof(*order), by_p, p);
	for (size_t rank = tests; rank > 0; rank--) {
		double *q = &p[order[rank - 1]];

		*q = least = fmin(least, *q * (double)tests / (double)rank);
	}
	free(order);
	return 0;
}
