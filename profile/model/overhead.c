// SPDX-License-Identifier: GPL-3.0-or-later
/* What a wrapped call adds, combined over measurements. Every process measures it at its start and,
 * if it lived long enough, at its end; the machine's speed differs between them by more than the
 * error of each. */
#include "profile/model/clocks.h"

#include <math.h>

#include "profile/base/error.h"

#define ROUNDS_MAX (UINT64_C(1) << 40)

static void add_moments(struct overhead_moments *m, double weight, uint64_t value_ps,
			uint64_t error_ps)
{
	double value = (double)value_ps, error = (double)error_ps;

	m->value += weight * value;
	m->square += weight * (value * value + error * error);
}

/* Half of the calls for each of two measurements; NULL: there was none. A process without calls
 * says little about calls, but more than nothing. */
static void add_both(struct overhead_quantity *q, const struct scp_cost *first,
		     const struct scp_cost *last, double calls)
{
	const struct scp_cost *both[2] = {first, last};
	double weight = (calls > 0 ? calls : 1e-3) / (first && last ? 2 : 1);

	for (int i = 0; i < 2; i++) {
		if (!both[i])
			continue;
		q->weight += weight;
		add_moments(&q->inside, weight, both[i]->inside_ps, both[i]->inside_error_ps);
		add_moments(&q->outside, weight, both[i]->outside_ps, both[i]->outside_error_ps);
	}
}

void overhead_add(struct overhead_sum *s, const struct scp_overhead *first,
		  const struct scp_overhead *last, double calls)
{
	const struct scp_overhead *both[2] = {first, last};

	for (int i = 0; i < 2; i++)
		add_both(&s->of[i], first->rounds ? &first->cost[i] : NULL,
			 last->rounds ? &last->cost[i] : NULL, calls);
	for (int k = 0; k < 2; k++) {
		if (!both[k]->rounds)
			continue;
		s->rounds += both[k]->rounds;
		s->measurements = prof_add32(s->measurements,
					     both[k]->measurements ? both[k]->measurements : 1);
	}
}

/* A cost of 0 was not measured. */
static void add_costs(struct overhead_quantity *q, const struct scp_cost cost[2], double calls)
{
	add_both(q, cost[0].inside_ps ? &cost[0] : NULL, cost[1].inside_ps ? &cost[1] : NULL,
		 calls);
}

void overhead_add_inner(struct overhead_sum *s, const struct scp_inner_cost *first,
			const struct scp_inner_cost *last, double calls)
{
	const struct scp_cost cost[2] = {{first->total_ps, first->error_ps, 0, 0},
					 {last->total_ps, last->error_ps, 0, 0}};

	add_costs(&s->of[OVERHEAD_INNER], cost, calls);
}

static struct scp_cost cost_of(const struct scp_way_cost *w)
{
	return (struct scp_cost){w->inside_ps, w->inside_error_ps, w->outside_ps,
				 w->outside_error_ps};
}

void overhead_add_ways(struct overhead_sum *s, const struct scp_way_costs *first,
		       const struct scp_way_costs *last, double calls)
{
	for (unsigned i = 0; i < SCP_WAYS; i++) {
		const struct scp_cost cost[2] = {cost_of(&first->way[i]), cost_of(&last->way[i])};

		add_costs(&s->of[OVERHEAD_WAY + i], cost, calls);
	}
}

void overhead_join(struct overhead_sum *to, const struct overhead_sum *from)
{
	to->rounds += from->rounds;
	to->measurements = prof_add32(to->measurements, from->measurements);
	for (unsigned i = 0; i < OVERHEAD_QUANTITIES; i++) {
		to->of[i].weight += from->of[i].weight;
		PROF_ADD(&to->of[i].inside, &from->of[i].inside, value, square);
		PROF_ADD(&to->of[i].outside, &from->of[i].outside, value, square);
	}
}

static void mean_of(const struct overhead_moments *m, double weight, double *mean_ns,
		    double *error_ns)
{
	double mean = m->value / weight;
	double variance = m->square / weight - mean * mean;

	*mean_ns = round(mean) / 1000;
	*error_ns = round(sqrt(fmax(variance, 0))) / 1000;
}

static struct prof_cost mean_cost(const struct overhead_quantity *q)
{
	struct prof_cost c;

	mean_of(&q->inside, q->weight, &c.inside_ns, &c.inside_error_ns);
	mean_of(&q->outside, q->weight, &c.outside_ns, &c.outside_error_ns);
	return c;
}

struct prof_cost overhead_at(const struct prof_overhead *o, uint32_t frames)
{
	struct prof_cost c =
		o->cost[frames > SCP_COST_SHORT_FRAMES ? SCP_COST_LONG : SCP_COST_SHORT];
	const struct prof_cost *s = &o->cost[SCP_COST_SHORT], *l = &o->cost[SCP_COST_LONG];
	double share = ((double)frames - SCP_COST_SHORT_FRAMES) /
		       (SCP_COST_LONG_FRAMES - SCP_COST_SHORT_FRAMES);

	if (o->measurements == 0)
		return c;
	c.outside_ns = fmax(s->outside_ns + share * (l->outside_ns - s->outside_ns), 0);
	c.outside_error_ns = hypot((1 - share) * s->outside_error_ns, share * l->outside_error_ns);
	return c;
}

/* The mean of what is linear in the frames is its value at the mean of the frames. */
static struct prof_cost mean_over_depth(const struct prof_overhead *o,
					const struct overhead_depth *d)
{
	const struct prof_cost *s = &o->cost[SCP_COST_SHORT], *l = &o->cost[SCP_COST_LONG];
	double frames = d->calls > 0 ? d->frames / d->calls : SCP_COST_SHORT_FRAMES;
	double q = d->calls > 0 ? d->long_calls / d->calls : 0;
	struct prof_cost at = overhead_at(o, (uint32_t)round(frames));

	at.inside_ns = (1 - q) * s->inside_ns + q * l->inside_ns;
	at.inside_error_ns = sqrt((1 - q) * s->inside_error_ns * s->inside_error_ns +
				  q * l->inside_error_ns * l->inside_error_ns +
				  q * (1 - q) * pow(l->inside_ns - s->inside_ns, 2));
	return at;
}

/* A way that was not measured costs what system calls do. */
static void fill_ways(struct prof_overhead *o, const struct overhead_sum *s,
		      const struct overhead_depth *d)
{
	o->way[SCP_WAY_SYSTEM] = mean_over_depth(o, d);
	for (unsigned i = 1; i < SCP_WAYS; i++) {
		const struct overhead_quantity *q = &s->of[OVERHEAD_WAY + i];

		o->way[i] = q->weight > 0 ? mean_cost(q) : o->way[SCP_WAY_SYSTEM];
	}
}

/* What all are measured with is the same: errors do not cancel. */
static void mean_over_ways(struct prof_overhead *o, const struct overhead_depth *d)
{
	double calls = 0;

	for (unsigned i = 0; i < SCP_WAYS; i++)
		calls += d->way_calls[i];
	o->inside_ns = o->inside_error_ns = o->outside_ns = o->outside_error_ns = 0;
	for (unsigned i = 0; i < SCP_WAYS; i++) {
		double share = calls > 0 ? d->way_calls[i] / calls : i == SCP_WAY_SYSTEM;

		o->inside_ns += share * o->way[i].inside_ns;
		o->inside_error_ns += share * o->way[i].inside_error_ns;
		o->outside_ns += share * o->way[i].outside_ns;
		o->outside_error_ns += share * o->way[i].outside_error_ns;
	}
}

/* In programs calls inside others cost what the measurement, where all is in the nearest cache,
 * finds on longer paths: on one of so many frames, what it finds with SCP_COST_SHORT_FRAMES. */
#define SHORT_INNER_FRAMES 6

/* What each frame more costs a call inside another, as of system calls at top level: in programs
 * once to twice as much. */
static double of_longer_paths(const struct prof_overhead *o, const struct overhead_depth *d)
{
	double more = o->cost[SCP_COST_LONG].outside_ns - o->cost[SCP_COST_SHORT].outside_ns;
	double frames = d->calls > 0 ? d->frames / d->calls : SHORT_INNER_FRAMES;

	return fmax(more, 0) / (SCP_COST_LONG_FRAMES - SCP_COST_SHORT_FRAMES) *
	       (frames - SHORT_INNER_FRAMES);
}

/* The calls inside others went their own ways, each of which costs all that it does. Which of them
 * lie in which row is not known: uncertain by what they differ by. Without all these ways' costs
 * (an older file) nothing changes. */
static void mean_of_inner(struct prof_overhead *o, const struct overhead_sum *s,
			  const struct overhead_depth *d)
{
	double calls = 0, sum = 0, square = 0, error = 0;

	for (unsigned i = SCP_WAY_NESTED; i < SCP_WAYS; i++) {
		const struct prof_cost *c = &o->way[i];
		double ns = c->inside_ns + c->outside_ns;

		if (!(d->way_calls[i] > 0))
			continue;
		if (!(s->of[OVERHEAD_WAY + i].weight > 0))
			return;
		calls += d->way_calls[i];
		sum += d->way_calls[i] * ns;
		square += d->way_calls[i] * ns * ns;
		error += d->way_calls[i] * (c->inside_error_ns + c->outside_error_ns);
	}
	if (!(sum > 0))
		return;
	double mean = sum / calls, variance = square / calls - mean * mean;
	double longer = of_longer_paths(o, d), unseen = hypot(longer / 2, error / calls);

	o->inner_ns = round(1000 * fmax(mean + longer, 0)) / 1000;
	o->inner_error_ns = round(1000 * hypot(unseen, sqrt(fmax(variance, 0)))) / 1000;
}

struct prof_overhead overhead_mean(const struct overhead_sum *s, const struct overhead_depth *d)
{
	const struct prof_cost none = {NAN, NAN, NAN, NAN};
	struct prof_overhead o = {0, NAN, NAN, NAN, NAN, {none, none}, {none}, NAN, NAN};

	if (s->of[OVERHEAD_INNER].weight > 0)
		mean_of(&s->of[OVERHEAD_INNER].inside, s->of[OVERHEAD_INNER].weight, &o.inner_ns,
			&o.inner_error_ns);
	if (!s->measurements)
		return o;
	o.measurements = s->measurements;
	for (int i = 0; i < 2; i++)
		o.cost[i] = mean_cost(&s->of[i]);
	fill_ways(&o, s, d);
	mean_of_inner(&o, s, d);
	mean_over_ways(&o, d);
	return o;
}

void overhead_store(const struct prof_overhead *o, uint64_t rounds, struct scp_overhead *out)
{
	*out = (struct scp_overhead){0};
	if (!o->measurements)
		return;
	out->rounds = rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds + !rounds;
	out->measurements = o->measurements;
	for (int i = 0; i < 2; i++) {
		const struct prof_cost *c = &o->cost[i];

		out->cost[i] = (struct scp_cost){(uint64_t)llround(c->inside_ns * 1000),
						 (uint64_t)llround(c->inside_error_ns * 1000),
						 (uint64_t)llround(c->outside_ns * 1000),
						 (uint64_t)llround(c->outside_error_ns * 1000)};
	}
}

struct scp_inner_cost overhead_store_inner(const struct prof_overhead *o)
{
	if (!(o->inner_ns > 0))
		return (struct scp_inner_cost){0, 0};
	return (struct scp_inner_cost){(uint64_t)llround(o->inner_ns * 1000),
				       (uint64_t)llround(o->inner_error_ns * 1000)};
}

static uint32_t whole_ps(double ns)
{
	return ns > 0 ? (uint32_t)llround(fmin(ns * 1000, UINT32_MAX)) : 0;
}

struct scp_way_costs overhead_store_ways(const struct prof_overhead *o,
					 const struct overhead_sum *s)
{
	struct scp_way_costs out = {0};

	for (unsigned i = 0; o->measurements && i < SCP_WAYS; i++) {
		const struct prof_cost *c = &o->way[i];

		if (!(s->of[OVERHEAD_WAY + i].weight > 0))
			continue;
		out.way[i] = (struct scp_way_cost){
			whole_ps(c->inside_ns), whole_ps(c->inside_error_ns),
			whole_ps(c->outside_ns), whole_ps(c->outside_error_ns)};
	}
	return out;
}

static bool cost_in_range(const struct scp_cost *c)
{
	return c->inside_ps <= SCP_COST_MAX_PS && c->inside_error_ps <= SCP_COST_MAX_PS &&
	       c->outside_ps <= SCP_COST_MAX_PS && c->outside_error_ps <= SCP_COST_MAX_PS;
}

static bool in_range(const struct scp_overhead *o)
{
	return cost_in_range(&o->cost[0]) && cost_in_range(&o->cost[1]) &&
	       o->measurements <= UINT32_MAX && o->rounds <= ROUNDS_MAX;
}

static bool inner_in_range(const struct scp_inner_cost *c)
{
	return c->total_ps <= SCP_COST_MAX_PS && c->error_ps <= SCP_COST_MAX_PS;
}

int overhead_check(const char *path, const struct scp_header *h, struct profile_error *err)
{
	const struct scp_overhead *all[] = {&h->overhead_first, &h->overhead_last,
					    &h->slow_overhead_first, &h->slow_overhead_last};

	if (!inner_in_range(&h->inner_first) || !inner_in_range(&h->inner_last))
		return error_damaged(err, path,
				     "its measured overhead of calls inside calls is out of range");
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!in_range(all[i]))
			return error_damaged(err, path,
					     "its measured overhead is out of range (%llu and %llu "
					     "ps a call)",
					     (unsigned long long)all[i]->cost[0].inside_ps,
					     (unsigned long long)all[i]->cost[1].inside_ps);
	return 0;
}
