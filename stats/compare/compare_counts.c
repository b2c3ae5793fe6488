// SPDX-License-Identifier: GPL-3.0-or-later
/* Two counts: the conditional binomial test of a ratio of rates. */
#include "stats/compare/compare.h"

#include <math.h>

#include "stats/mean/proportion.h"
#include "stats/numerics/distributions.h"

/* P(X >= x) of a binomial with n trials; real arguments, by the beta distribution. */
static double at_least(double x, double n, double p)
{
	if (x <= 0)
		return 1;
	return x >= n + 1 ? 0 : distributions_beta_lower(p, x, n - x + 1);
}

/* Probability of more than x, and half of that of x itself. */
static double mid_p_above(double x, double n, double p)
{
	return (at_least(x, n, p) + at_least(x + 1, n, p)) / 2;
}

/* Events that scatter from run to run count for fewer: the relative variance of a count
 * rises from 1 / expected by its part of `between`. */
struct pair {
	double base, new; /* events */
	double exposure_base, exposure_new;
};

static struct pair discount(const struct compare_count *base, const struct compare_count *new,
			    double between)
{
	double rate = (base->events + new->events) / (base->exposure + new->exposure);
	double b = 1 + base->exposure * rate * between / 2;
	double n = 1 + new->exposure *rate *between / 2;

	return (struct pair){base->events / b, new->events / n, base->exposure / b,
			     new->exposure / n};
}

static double share_of_new(const struct pair *p, double ratio)
{
	return ratio * p->exposure_new / (p->exposure_base + ratio * p->exposure_new);
}

double compare_counts_p(const struct compare_count *base, const struct compare_count *new,
			const struct compare_null *null)
{
	struct pair p = discount(base, new, null->between);
	double n = p.base + p.new, low, high, above, below;

	if (!(n > 0))
		return 1;
	low = share_of_new(&p, null->low);
	high = share_of_new(&p, null->high);
	above = mid_p_above(p.new, n, high) + mid_p_above(p.new, n, low);
	below = mid_p_above(p.base, n, 1 - low) + mid_p_above(p.base, n, 1 - high);
	return fmin(1, fmin(above, below));
}

void compare_counts_limits(const struct compare_count *base, const struct compare_count *new,
			   const struct compare_null *null, double confidence, double *low,
			   double *high)
{
	struct pair p = discount(base, new, null->between);
	double odds = p.exposure_base / p.exposure_new, from, to;

	*low = 0;
	*high = INFINITY;
	if (!(p.base + p.new > 0))
		return;
	proportion_mid_p(p.new, p.base + p.new, confidence, &from, &to);
	*low = odds * from / (1 - from);
	if (to < 1)
		*high = odds * to / (1 - to);
}
