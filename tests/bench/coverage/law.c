// SPDX-License-Identifier: GPL-3.0-or-later
/* The laws' closed forms. The limited expectation gives the distribution of tick
 * counts at random phases without any integration: see tally.c. */
#include <gsl/gsl_cdf.h>

#include "tests/bench/coverage/law.h"

const char *const law_names[LAW_KINDS] = {"constant", "uniform", "exponential", "lognormal",
					  "bimodal"};

static double lognormal_z(const struct law *l, double x)
{
	return (log(x / l->mean) + LAW_SIGMA * LAW_SIGMA / 2) / LAW_SIGMA;
}

double law_survival(const struct law *l, double x)
{
	double m = l->mean;

	if (x < 0)
		return 1;
	switch (l->kind) {
	case LAW_UNIFORM:
		return fmax(0, 1 - x / (2 * m));
	case LAW_EXPONENTIAL:
		return exp(-x / m);
	case LAW_LOGNORMAL:
		return x > 0 ? gsl_cdf_ugaussian_Q(lognormal_z(l, x)) : 1;
	case LAW_BIMODAL:
		return x < LAW_SHORT * m ? 1 : x < LAW_LONG * m ? LAW_RARE : 0;
	default:
		return x < m;
	}
}

double law_limited(const struct law *l, double x)
{
	double m = l->mean;

	if (x <= 0)
		return 0;
	switch (l->kind) {
	case LAW_UNIFORM:
		return x < 2 * m ? x - x * x / (4 * m) : m;
	case LAW_EXPONENTIAL:
		return -m * expm1(-x / m);
	case LAW_LOGNORMAL: {
		double z = lognormal_z(l, x);

		return m * gsl_cdf_ugaussian_P(z - LAW_SIGMA) + x * gsl_cdf_ugaussian_Q(z);
	}
	case LAW_BIMODAL:
		return (1 - LAW_RARE) * fmin(x, LAW_SHORT * m) + LAW_RARE * fmin(x, LAW_LONG * m);
	default:
		return fmin(x, m);
	}
}

double law_quantile(const struct law *l, double p)
{
	switch (l->kind) {
	case LAW_UNIFORM:
		return 2 * l->mean * p;
	case LAW_EXPONENTIAL:
		return -l->mean * log1p(-p);
	case LAW_LOGNORMAL:
		return p >= 1 ? INFINITY : law_of_normal(l, gsl_cdf_ugaussian_Pinv(p));
	case LAW_BIMODAL:
		return l->mean * (p > 1 - LAW_RARE ? LAW_LONG : LAW_SHORT);
	default:
		return l->mean;
	}
}

double law_variance(const struct law *l)
{
	double m = l->mean;

	switch (l->kind) {
	case LAW_UNIFORM:
		return m * m / 3;
	case LAW_EXPONENTIAL:
		return m * m;
	case LAW_LOGNORMAL:
		return m * m * expm1(LAW_SIGMA * LAW_SIGMA);
	case LAW_BIMODAL:
		return m * m * LAW_RARE * (1 - LAW_RARE) * (LAW_LONG - LAW_SHORT) *
		       (LAW_LONG - LAW_SHORT);
	default:
		return 0;
	}
}

double law_of_normal(const struct law *l, double z)
{
	switch (l->kind) {
	case LAW_UNIFORM:
		return 2 * l->mean * gsl_cdf_ugaussian_P(z);
	case LAW_EXPONENTIAL:
		return -l->mean * log(gsl_cdf_ugaussian_Q(z));
	case LAW_LOGNORMAL:
		return l->mean * exp(LAW_SIGMA * z - LAW_SIGMA * LAW_SIGMA / 2);
	case LAW_BIMODAL:
		return l->mean * (z > LAW_RARE_Z ? LAW_LONG : LAW_SHORT);
	default:
		return l->mean;
	}
}
