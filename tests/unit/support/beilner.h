// SPDX-License-Identifier: GPL-3.0-or-later
/* Equations of Beilner's paper that scprof needs in another form, and its examples as they are. */
#ifndef SCPROF_TESTS_UNIT_SUPPORT_BEILNER_H
#define SCPROF_TESTS_UNIT_SUPPORT_BEILNER_H

#include <math.h>
#include <stddef.h>

#include "stats/planning/plan.h"

/* (6b) */
static inline double plan_beilner_mean(double ticks, double n, double d)
{
	return d * ticks / n;
}

/* (7c) */
static inline double plan_beilner_variance(double count_variance, double n, double d)
{
	return d * d * count_variance / n;
}

/* (10c): of the mean of n calls that each begin where the one before ended, and are independent */
static inline double plan_beilner_contiguous_variance(double var, double n, double d)
{
	return var / n + d * d / (6 * n * n);
}

/* (10d) */
static inline double plan_beilner_contiguous_deviation(double var, double n, double d)
{
	return sqrt(plan_beilner_contiguous_variance(var, n, d));
}

/* (11), for calls of one kind in a row */
static inline double plan_beilner_dependent_variance(const double *covariance, size_t lags,
						     double n, double d)
{
	double sum = lags ? n * covariance[0] : 0;

	for (size_t l = 1; l < lags && (double)l < n; l++)
		sum += 2 * (n - (double)l) * covariance[l];
	return d * d * sum / (n * n);
}

/* (14b), which is (14a) below a tick */
static inline double plan_beilner_calls_short(double w, double p, double mean, double d)
{
	return plan_beilner_calls(w, p, mean, d);
}

/* (13), and solved for the confidence */
static inline double plan_beilner_width(double w, double n, double mean, double d)
{
	return w * plan_beilner_deviation(mean, d, n) / mean;
}

static inline double plan_beilner_confidence(double p, double n, double mean, double d)
{
	return plan_width_confidence(p * mean / plan_beilner_deviation(mean, d, n));
}

#endif
