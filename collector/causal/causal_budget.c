// SPDX-License-Identifier: GPL-3.0-or-later
/* Each site gets the same share of the slowdown, by what it may cost at most. */

#include <math.h>
#include <string.h>

#include "collector/causal/causal_private.h"

#define SURE	     1.645 /* normal, one side, 95 % */
#define LEVELS_MEAN  0.75  /* mean of the lower delay, a half, and the higher one */
#define MOST_LONGER  4.0   /* than if the slope were the calls a unit */
#define MOST_OF_CALL 0.3   /* of a call's time, ... */
#define MOST_OF_WALL 0.02  /* or of the time from one call to the next: beyond, a slope may bend */
#define MOST_GROWTH  2.0   /* from one correction to the next */
#define LEAST_LIMIT  0.25  /* of a window */
#define MOST_LIMIT   0.5
#define LEAST_MEAN   (CAUSAL_BUDGET_SHORTEST_S * LEVELS_MEAN * CAUSAL_BUDGET_LEAST)

struct belief {
	double mean, deviation;
};

/* The slope, from what was assumed and what was measured. */
static struct belief believe(const struct causal_budget *b, const struct causal_budget_site *s)
{
	double calls = s->calls_s * b->unit_s, assumed = calls * fmax(b->stretch, 1), measured;
	double prior = 1 / (calls * calls);

	if (!isfinite(s->slope) || !(s->error > 0))
		return (struct belief){assumed, calls};
	measured = 1 / (s->error * s->error);
	return (struct belief){(assumed * prior + s->slope * measured) / (prior + measured),
			       1 / sqrt(prior + measured)};
}

static double mean_delay(const struct causal_budget_site *s)
{
	return s->high * LEVELS_MEAN * s->active;
}

double causal_budget_upper(const struct causal_budget *b, const struct causal_budget_site *site,
			   size_t sites)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < sites; i++) {
		struct belief slope = believe(b, &site[i]);
		double m = mean_delay(&site[i]) / b->unit_s;

		mean += m * slope.mean;
		squares += m * slope.deviation * m * slope.deviation;
	}
	return mean + SURE * sqrt(squares);
}

/* The higher delay that makes the site's mean delay `mean`, and how often. */
static void put(const struct causal_budget *b, struct causal_budget_site *s, double mean)
{
	s->active = CAUSAL_BUDGET_ACTIVE;
	s->high = fmin(mean / (LEVELS_MEAN * s->active), b->longest_s);
	if (s->high >= CAUSAL_BUDGET_SHORTEST_S)
		return;
	s->high = fmin(CAUSAL_BUDGET_SHORTEST_S, b->longest_s);
	s->active = fmin(mean / (LEVELS_MEAN * s->high), CAUSAL_BUDGET_ACTIVE);
}

/* Its mean delay, if the slope were the calls a unit and all sites had the same share. */
static double even(const struct causal_budget *b, const struct causal_budget_site *s, size_t sites)
{
	return b->slowdown / (double)sites / s->calls_s;
}

/* The longest mean delay: where its slope is one number still. */
static double most(const struct causal_budget *b, const struct causal_budget_site *s, size_t sites)
{
	double full = even(b, s, sites);
	double straight = fmax(MOST_OF_CALL * s->call_s, MOST_OF_WALL / s->calls_s) * LEVELS_MEAN *
			  CAUSAL_BUDGET_ACTIVE;

	return fmax(full, fmin(MOST_LONGER * full, straight));
}

/* The sites that share: some are called so often that no delay is short enough, and leave their
 * part to the others. */
static size_t count_possible(const struct causal_budget *b, const struct causal_budget_site *site,
			     size_t sites)
{
	for (size_t count = sites; count > 1; count--) {
		size_t possible = 0;

		for (size_t i = 0; i < sites; i++)
			possible += even(b, &site[i], count) >= LEAST_MEAN;
		if (possible >= count)
			return count;
	}
	return 1;
}

static void scale(const struct causal_budget *b, struct causal_budget_site *site, size_t sites,
		  size_t count, double by)
{
	for (struct causal_budget_site *s = site; s < site + sites; s++) {
		double mean = fmin(by * mean_delay(s), most(b, s, count));

		if (s->active > 0)
			put(b, s, s->was > 0 ? fmin(mean, MOST_GROWTH * s->was) : mean);
	}
}

void causal_budget_set(const struct causal_budget *b, struct causal_budget_site *site, size_t sites)
{
	size_t count = count_possible(b, site, sites);
	double value = b->whole.value, error = fmax(0, b->whole.error), less = 1, upper;

	for (struct causal_budget_site *s = site; s < site + sites; s++) {
		struct belief slope = believe(b, s);
		double full = even(b, s, count), calls = s->calls_s * b->unit_s;

		s->was = s->active > 0 ? mean_delay(s) : 0;
		s->active = s->high = 0;
		if (full >= LEAST_MEAN)
			put(b, s,
			    full * calls /
				    fmax(slope.mean + SURE * slope.deviation, calls / MOST_LONGER));
	}
	/* by how much less than it believes, as what all delays cost so far is more than asked */
	if (value > b->slowdown)
		less = fmin(b->slowdown / value, value - SURE * error > b->slowdown ? 0.5 : 1);
	upper = causal_budget_upper(b, site, sites);
	/* the sum of upper ends is above the upper end of the sum */
	if (upper > 0)
		scale(b, site, sites, count, b->slowdown / upper * b->part * less);
}

double causal_budget_limit(double slowdown)
{
	return fmin(fmax(LEAST_LIMIT, 4 * slowdown), MOST_LIMIT);
}

/* Delays that would change by less stay: what was spun on average is known the better. */
#define SHORTER 0.9
#define LONGER	1.25

double causal_budget_rate(const struct causal *c)
{
	double time = c->design.time - c->corrected_time;

	return time > 0 ? (c->design.progress - c->corrected_progress) / time : NAN;
}

/* As often as it was called at any time: it may be called so again. */
static void know_site(const struct causal *c, size_t i, struct causal_budget_site *b)
{
	const struct causal_candidate *s = &c->site[i];
	const struct causal_design *d = &c->design;
	const struct slopes_site *slopes = c->fitted ? &c->slopes[i] : NULL;
	double recent = (d->calls[i] - c->corrected_calls[i]) / (d->time - c->corrected_time);

	b->calls_s = fmax(d->time > 0 ? d->calls[i] / d->time : s->calls_s, recent);
	if (!(b->calls_s > s->calls_s / 100)) /* hardly any now */
		b->calls_s = s->calls_s;
	b->call_s = s->busy / s->calls_s;
	b->slope = slopes && slopes->known ? slopes->slope.value : NAN;
	b->error = slopes && slopes->known ? slopes->slope.error : NAN;
}

static bool is_other(const struct causal_budget_site *a, const struct causal_budget_site *b)
{
	double was = a->high * a->active, now = b->high * b->active;

	return now < SHORTER * was || now > LONGER * was;
}

static struct causal_budget know_all(const struct causal *c)
{
	struct causal_budget b = {.slowdown = c->wishes.slowdown,
				  .unit_s = 1 / causal_pilot_rate(&c->pilot),
				  .stretch = causal_threads_stretch(&c->threads),
				  .part = c->fitted ? 1 : 0.5,
				  .whole = {.value = NAN}};

	/* a thread has no room for longer ones in a window */
	b.longest_s = fmin(c->wishes.of_page.longest_s,
			   causal_budget_limit(b.slowdown) * c->window_s / 2);
	if (c->fitted)
		b.whole = c->all.slowdown;
	if (c->fitted && c->all.unit.value > 0)
		b.unit_s = c->all.unit.value;
	b.unit_s = fmin(b.unit_s, 1 / causal_budget_rate(c));
	return b;
}

void causal_budget_correct(struct causal *c)
{
	struct causal_budget b = know_all(c);
	struct causal_budget_site next[SLOPES_SITES];
	double asked[SLOPES_SITES];
	bool changes = !c->design.epochs;

	memcpy(next, c->budget, sizeof(next));
	for (size_t i = 0; i < c->sites; i++)
		know_site(c, i, &next[i]);
	c->assumed_rate = 1 / b.unit_s;
	c->corrected_time = c->design.time;
	c->corrected_progress = c->design.progress;
	memcpy(c->corrected_calls, c->design.calls, sizeof(c->corrected_calls));
	causal_budget_set(&b, next, c->sites);
	for (size_t i = 0; i < c->sites; i++) {
		changes = changes || is_other(&c->budget[i], &next[i]);
		asked[i] = next[i].high;
	}
	if (!changes)
		return;
	memcpy(c->budget, next, sizeof(next));
	c->no_memory = causal_design_epoch(&c->design, asked) != 0;
}
