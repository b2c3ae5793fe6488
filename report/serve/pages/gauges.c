// SPDX-License-Identifier: GPL-3.0-or-later
/* The models by function of a service's processes are added up and become a report. They are
 * copied with the agent's lock, and estimated without it, so that nobody else waits for what a
 * profile contains. */
#include "report/serve/pages/metrics.h"

#include <stdlib.h>
#include <unistd.h>

#include "profile/base/array.h"

#include "collector/clocks/clocks_read.h"
#include "report/serve/sums/counters.h"

static int add_site(struct gauges *g, struct counters *c, struct counters_service *s,
		    const struct profile *p, const struct report_site *site)
{
	const struct prof_function *f = &p->function[site->function];
	struct counters_function *place = counters_function(c, s, f->name, f->library);
	unsigned outcome = site->overflow ? COUNTERS_OVERFLOW : site->outcome;
	struct counters_row *row = place ? counters_row(place, outcome, p->clock.kind) : NULL;

	if (!row)
		return -1;
	if (place == s->other || row->shown == c->stamp)
		return 0;
	row->shown = c->stamp;
	struct gauge *to = ARRAY_APPEND(g->gauge, g->count);
	if (!to)
		return -1;
	*to = (struct gauge){
		.service = s, .function = place, .outcome = outcome, .clock = p->clock.kind};
	PROF_SET(to, site, calls, total_ns, estimate);
	return 0;
}

static struct report *build_report(const struct profile *p, const struct agent *a)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	o.by = REPORT_BY_FUNCTION;
	o.format = REPORT_CSV; /* none that needs bars or loops */
	o.include_warmup = true;
	o.confidence = a->options.confidence;
	o.guarded = a->limits.any_owner;
	return report_build(p, &o);
}

static int fill_pool(struct pool *pool, const struct agent *a, const struct counters_service *s)
{
	if (pool_join(pool, &s->pool))
		return -1;
	for (const struct source *o = a->sources; o; o = o->hh.next)
		if (o->service == s && o->last && pool_add(pool, o->last, NULL))
			return -1;
	return 0;
}

/* A service is never removed, so it can be looked at again when the lock is held again. */
struct making {
	struct counters_service *service;
	struct pool pool;
	struct report *report[COUNTERS_CLOCKS]; /* of its models; NULL: left out */
};

/* With the lock. A model has no more functions than its service has counters. 0, or -1: out of
 * memory. */
static int copy_models(struct making *made, size_t *count, struct agent *a)
{
	for (struct counters_service *s = a->counters.services; s; s = s->hh.next) {
		struct making *m = &made[(*count)++];

		m->service = s;
		if (fill_pool(&m->pool, a, s))
			return -1;
	}
	return 0;
}

static unsigned user_of(const struct counters_service *s)
{
	return s->foreign ? s->uid : geteuid();
}

static int estimate(struct gauges *g, struct making *m, const struct agent *a,
		    struct share **shares)
{
	g->left_out += m->pool.left_out;
	for (uint32_t i = 0; i < COUNTERS_CLOCKS; i++) {
		const struct profile *p = m->pool.model[i];
		const unsigned user = user_of(m->service);
		const uint64_t began_ns = clocks_read_ns(CLOCK_MONOTONIC);

		if (!p || !p->processes)
			continue;
		if (!shares_has_time(*shares, user, began_ns)) {
			g->left_out += p->process[0].count;
			continue;
		}
		m->report[i] = build_report(p, a);
		if (!m->report[i])
			return -1;
		shares_spend(shares, user, clocks_read_ns(CLOCK_MONOTONIC),
			     clocks_read_ns(CLOCK_MONOTONIC) - began_ns);
	}
	return 0;
}

/* Without the lock. The time for one user's profiles is limited, as for reading them. */
static int estimate_all(struct gauges *g, struct making *made, size_t count, const struct agent *a)
{
	struct share *shares = NULL;
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++)
		status = estimate(g, &made[i], a, &shares);
	shares_tend(&shares, UINT64_MAX);
	return status;
}

/* With the lock. */
static int add_service(struct gauges *g, struct counters *c, const struct making *m)
{
	int status = 0;

	c->stamp++;
	for (uint32_t i = 0; i < COUNTERS_CLOCKS; i++) {
		const struct report *r = m->report[i];

		for (uint32_t k = 0; r && k < r->sites && status == 0; k++)
			status = add_site(g, c, m->service, m->pool.model[i], &r->site[k]);
	}
	return status;
}

int gauges_build(struct gauges *g, struct agent *a)
{
	struct making *made;
	size_t count = 0;
	int status = -1;

	*g = (struct gauges){0};
	pthread_mutex_lock(&a->lock);
	made = calloc((size_t)HASH_COUNT(a->counters.services) + 1, sizeof(*made));
	if (made)
		status = copy_models(made, &count, a);
	pthread_mutex_unlock(&a->lock);
	if (status == 0)
		status = estimate_all(g, made, count, a);
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < count && status == 0; i++)
		status = add_service(g, &a->counters, &made[i]);
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < COUNTERS_CLOCKS; k++)
			report_free(made[i].report[k]);
		pool_free(&made[i].pool);
	}
	free(made);
	return status;
}

void gauges_free(struct gauges *g)
{
	free(g->gauge);
	*g = (struct gauges){0};
}
