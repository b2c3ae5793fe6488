// SPDX-License-Identifier: GPL-3.0-or-later
/* The models by function of a service's processes are put together and made a report. */
#include "serve/gauges.h"

#include <stdlib.h>

#include "serve/pool.h"

static uint64_t calls_of(const struct profile *p)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < p->entries; i++)
		calls += p->entry[i].sums.calls;
	return calls;
}

/* Of the clocks of one kind, that with the most calls: a series has one value. */
static bool is_chosen(const struct pool *pool, uint32_t which)
{
	const struct profile *p = pool->model[which];

	for (uint32_t i = 0; i < pool->models; i++) {
		const struct profile *q = pool->model[i];

		if (i != which && q->clock.kind == p->clock.kind &&
		    (calls_of(q) > calls_of(p) || (calls_of(q) == calls_of(p) && i < which)))
			return false;
	}
	return true;
}

static int add(struct gauges *g, const struct gauge *more)
{
	if (g->count == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		struct gauge *grown = realloc(g->gauge, room * sizeof(*grown));

		if (!grown)
			return -1;
		g->gauge = grown;
		g->room = room;
	}
	g->gauge[g->count++] = *more;
	return 0;
}

static int add_site(struct gauges *g, struct counters *c, struct counters_service *s,
		    const struct profile *p, const struct report_site *site)
{
	const struct prof_function *f = &p->function[site->function];
	struct counters_function *place = counters_function(c, s, f->name, f->library);
	unsigned outcome = site->overflow ? COUNTERS_OVERFLOW : site->outcome;
	struct counters_row *row = place ? counters_row(place, outcome, p->clock.kind) : NULL;
	struct gauge more = {.service = s,
			     .function = place,
			     .outcome = outcome,
			     .clock = p->clock.kind,
			     .calls = site->calls,
			     .total_ns = site->total_ns,
			     .estimate = site->estimate};

	if (!row)
		return -1;
	if (place == s->other || row->shown == c->stamp)
		return 0;
	row->shown = c->stamp;
	return add(g, &more);
}

static int add_model(struct gauges *g, struct agent *a, struct counters_service *s,
		     const struct profile *p)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;
	int status = 0;

	o.by = REPORT_BY_FUNCTION;
	o.format = REPORT_CSV; /* none that needs bars or loops */
	o.include_warmup = true;
	o.confidence = a->options.confidence;
	o.guarded = a->limits.any_owner;
	r = report_build(p, &o);
	if (!r)
		return -1;
	for (uint32_t i = 0; i < r->sites && status == 0; i++)
		status = add_site(g, &a->counters, s, p, &r->site[i]);
	report_free(r);
	return status;
}

static int fill_pool(struct pool *pool, const struct agent *a, const struct counters_service *s)
{
	if (pool_join(pool, s->pool))
		return -1;
	for (const struct source *o = a->sources; o; o = o->hh.next)
		if (o->service == s && o->last && pool_add(pool, o->last, NULL))
			return -1;
	return 0;
}

static int add_service(struct gauges *g, struct agent *a, struct counters_service *s)
{
	struct pool *pool = pool_new();
	int status = pool ? fill_pool(pool, a, s) : -1;

	a->counters.stamp++;
	for (uint32_t i = 0; status == 0 && i < pool->models; i++) {
		if (is_chosen(pool, i))
			status = add_model(g, a, s, pool->model[i]);
		else
			g->left_out +=
				pool->model[i]->processes ? pool->model[i]->process[0].count : 0;
	}
	g->left_out += pool ? pool->left_out : 0;
	pool_free(pool);
	return status;
}

int gauges_build(struct gauges *g, struct agent *a)
{
	*g = (struct gauges){0};
	for (struct counters_service *s = a->counters.services; s; s = s->hh.next)
		if (add_service(g, a, s))
			return -1;
	return 0;
}

void gauges_free(struct gauges *g)
{
	free(g->gauge);
	*g = (struct gauges){0};
}
