// SPDX-License-Identifier: GPL-3.0-or-later
/* Laws of the simulated durations. Lengths are in ticks throughout the study: the tick interval d
 * is 1. A law has one parameter, its mean. */
#ifndef COVERAGE_LAW_H
#define COVERAGE_LAW_H

#include <math.h>

#include "tests/bench/coverage/dice.h"

enum law_kind {
	LAW_CONSTANT,
	LAW_UNIFORM, /* 0 to 2 m */
	LAW_EXPONENTIAL,
	LAW_LOGNORMAL, /* sigma 2: the largest of 1000 calls makes a fifth of the time */
	LAW_BIMODAL,   /* 90 % take m / 2, 10 % take 5.5 m */
	LAW_KINDS
};

#define LAW_SIGMA  2.0
#define LAW_RARE   0.1 /* share of the long calls of the bimodal law */
#define LAW_SHORT  0.5 /* in means */
#define LAW_LONG   5.5
#define LAW_RARE_Z 1.2815515655446004 /* normal quantile of 1 - LAW_RARE */

struct law {
	enum law_kind kind;
	double mean;
};

extern const char *const law_names[LAW_KINDS];

/* P(T > x). */
double law_survival(const struct law *l, double x);

/* E min(T, x): the integral of the survival from 0 to x. */
double law_limited(const struct law *l, double x);

/* Where P(T <= x) = p; the largest duration for p = 1, which may be INFINITY. */
double law_quantile(const struct law *l, double p);

double law_variance(const struct law *l);

/* The duration that a standard normal z stands for: Q(Phi(z)), a Gaussian copula's margin. */
double law_of_normal(const struct law *l, double z);

static inline double law_draw(const struct law *l, struct dice *d)
{
	switch (l->kind) {
	case LAW_UNIFORM:
		return 2 * l->mean * dice_unit(d);
	case LAW_EXPONENTIAL:
		return -l->mean * log(dice_unit(d));
	case LAW_LOGNORMAL:
		return l->mean * exp(LAW_SIGMA * dice_normal(d) - LAW_SIGMA * LAW_SIGMA / 2);
	case LAW_BIMODAL:
		return l->mean * (dice_unit(d) < LAW_RARE ? LAW_LONG : LAW_SHORT);
	default:
		return l->mean;
	}
}

#endif
