// SPDX-License-Identifier: GPL-3.0-or-later
/* Two means: a test against a range of ratios, and limits of the ratio. */
#include "stats/compare/compare.h"

#include <math.h>

#include "stats/mean/proportion.h"
#include "stats/numerics/distributions.h"

static double satterthwaite(double v1, double freedom1, double v2, double freedom2)
{
	double v = v1 + v2;

	if (v == 0)
		return INFINITY;
	return v * v / (v1 * v1 / fmax(freedom1, 1) + v2 * v2 / fmax(freedom2, 1));
}

/* The contrast new - ratio * base, and its error. */
struct contrast {
	double value, error, freedom;
};

static struct contrast contrast_of(const struct compare_mean *base, const struct compare_mean *new,
				   const struct compare_null *null, double ratio)
{
	double mean = fmax(base->mean, 0), v1 = ratio * ratio * base->error * base->error;
	double v2 = new->error *new->error;
	struct contrast c = {
		.value = new->mean - ratio *mean,
		.error = sqrt(v1 + v2 + ratio * ratio * null->between * mean * mean),
		.freedom = fmin(satterthwaite(v1, base->freedom, v2, new->freedom), null->freedom),
	};

	return c;
}

static double tail_of(const struct contrast *c, double sign)
{
	double value = sign * c->value;

	if (c->error == 0)
		return value > 0 ? 0 : 1;
	return distributions_t_upper(value / c->error, fmax(c->freedom, 1));
}

double compare_ratio_p(const struct compare_mean *base, const struct compare_mean *new,
		       const struct compare_null *null)
{
	if (!isfinite(base->error) || !isfinite(new->error) || !(base->freedom > 0) ||
	    !(new->freedom > 0))
		return 1;
	struct contrast low = contrast_of(base, new, null, null->low);
	struct contrast high = contrast_of(base, new, null, null->high);
	return fmin(1, fmin(tail_of(&high, 1) + tail_of(&low, 1),
			    tail_of(&low, -1) + tail_of(&high, -1)));
}

/* (new - ratio base)^2 = t^2 (e2^2 + ratio^2 e1^2) is a quadratic equation in the ratio. */
void compare_ratio_limits(const struct compare_mean *base, const struct compare_mean *new,
			  const struct compare_null *null, double confidence, double *low,
			  double *high)
{
	double v1 = base->error * base->error + null->between * base->mean * base->mean;
	double v2 = new->error *new->error, m1 = base->mean, m2 = fmax(new->mean, 0), a, c, root, t;

	*low = 0;
	*high = INFINITY;
	if (!(m1 > 0) || !isfinite(v1) || !isfinite(v2))
		return;
	struct contrast at = contrast_of(base, new, null, m2 / m1);
	t = distributions_t_two_sided(confidence, fmax(at.freedom, 1));
	a = m1 * m1 - t * t * v1;
	c = m2 * m2 - t * t * v2;
	if (!(a > 0))
		return;
	root = sqrt(fmax(m1 * m2 * m1 * m2 - a * c, 0));
	if (!isfinite(a) || !isfinite(root))
		return;
	*low = fmax((m1 * m2 - root) / a, 0);
	*high = (m1 * m2 + root) / a;
}

double compare_effect_p(double effect, double error, double freedom, double margin)
{
	double size = fabs(effect);

	if (!(error > 0) || !isfinite(error))
		return 1;
	freedom = fmax(freedom, 1);
	return fmin(1, distributions_t_upper((size - margin) / error, freedom) +
			       distributions_t_upper((size + margin) / error, freedom));
}

/* Each tail gets half of the error probability, divided among `tests` tests. */
double compare_detectable(double error, double freedom, double margin, double tests,
			  double confidence, double power)
{
	double tail = (1 - confidence) / (2 * fmax(tests, 1));

	return margin + (distributions_t_quantile(1 - tail, fmax(freedom, 1)) +
			 distributions_t_quantile(power, fmax(freedom, 1))) *
				error;
}

/* Two counts: the conditional binomial test of a ratio of rates. */

/* P(X >= x) of a binomial with n trials, by the beta distribution; x and n are real. */
static double at_least(double x, double n, double p)
{
	if (x <= 0)
		return 1;
	return x >= n + 1 ? 0 : distributions_beta_lower(p, x, n - x + 1);
}

/* P(X > x) + P(X = x) / 2. */
static double mid_p_above(double x, double n, double p)
{
	return (at_least(x, n, p) + at_least(x + 1, n, p)) / 2;
}

/* Variation between runs reduces the effective number of events: the relative variance of a count
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
