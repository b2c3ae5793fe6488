// SPDX-License-Identifier: GPL-3.0-or-later
/* Each site is looked at independently. It is known by its row's key, which is the same in every
 * model. */
#include "report/live/live_rows.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct precision_site {
	struct stopping stopping;
	unsigned unreliable; /* at the last look */
};

void precision_free(struct precision *p)
{
	pairs_clear(&p->keys);
	free(p->site);
}

static bool is_named(const char *names, const char *function)
{
	char pattern[256];

	for (const char *at = names;; at++) {
		size_t length = strcspn(at, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, at);
		if (!fnmatch(pattern, function, 0))
			return true;
		at += length;
		if (!*at)
			return false;
	}
}

static bool is_candidate(const struct precision *p, const struct live_reader *f,
			 const struct row *r)
{
	const struct group_row *g = &f->groups.row[r->group];

	return r->run.calls && !(p->without_waits && r->waits) &&
	       (!p->names || is_named(p->names, f->profile->function[g->function].name));
}

/* NULL: out of memory. */
static struct precision_site *site_of(struct precision *p, uint64_t key, double now_s,
				      const struct stopping_stretch *now)
{
	uint32_t known = p->keys.count;
	uint32_t number = pairs_add(&p->keys, (uint32_t)(key >> 32), (uint32_t)key);

	if (!array_reach((void **)&p->site, &p->room, number, sizeof(*p->site), 0))
		return NULL;
	if (number == known)
		stopping_begin(&p->site[number].stopping, p->relative, p->least_s, now_s, now);
	return &p->site[number];
}

static void estimate(struct precision_site *s, const struct live_reader *f, const struct rows *r,
		     uint32_t row, double now_s)
{
	const struct prof_reading *all = &r->row[row].run;
	const struct row_mean *run = &live_rows_means(r, f, row)->run_mean;
	struct stopping_look look = {.used = run->calls,
				     .skipped = run->warmup_calls,
				     .raw = (double)all->units / (double)all->calls *
					    f->profile->clock.ns_per_unit,
				     .mean = run->mean_ns,
				     .low = run->low_ns,
				     .high = run->high_ns,
				     .freedom = run->freedom,
				     .design_effect = run->design,
				     .unreliable = run->unreliable};
	stopping_look(&s->stopping, now_s, &look);
	s->unreliable = run->unreliable;
}

static int look_at(struct precision *p, const struct live_reader *f, const struct rows *r,
		   uint32_t row, bool matters, double now_s)
{
	const struct prof_reading *all = &r->row[row].run;
	struct stopping_stretch now = {all->calls, all->units};
	struct precision_site *s = site_of(p, r->row[row].key, now_s, &now);

	if (!s)
		return -1;
	if (stopping_add(&s->stopping, now_s, &now) && matters)
		estimate(s, f, r, row, now_s);
	p->due_s = fmin(p->due_s, s->stopping.due_s);
	if (!matters)
		return 0;
	p->sites++;
	if (s->stopping.reached)
		p->reached++;
	else
		p->unreliable |= s->unreliable;
	/* if one is unknown, so is the worst */
	if (!isnan(p->worst) && !(s->stopping.seen <= p->worst))
		p->worst = s->stopping.seen;
	return 0;
}

static bool any_works(const struct rows *r)
{
	for (uint32_t i = 0; i < r->rows; i++)
		if (r->row[i].run.calls && !r->row[i].waits)
			return true;
	return false;
}

int precision_look(struct precision *p, const struct live_reader *f, const struct rows *r,
		   double now_s)
{
	uint32_t largest = PROF_NONE;
	double total = 0;

	p->without_waits = !p->names && any_works(r);
	p->sites = p->reached = 0;
	p->calls = 0;
	p->worst = 0;
	p->due_s = INFINITY;
	p->unreliable = 0;
	for (uint32_t i = 0; i < r->rows; i++) {
		if (!is_candidate(p, f, &r->row[i]))
			continue;
		total += fmax(0, r->row[i].total_ns);
		p->calls += (double)r->row[i].run.calls;
		if (largest == PROF_NONE || r->row[i].total_ns > r->row[largest].total_ns)
			largest = i;
	}
	for (uint32_t i = 0; i < r->rows; i++)
		if (is_candidate(p, f, &r->row[i]) &&
		    (i == largest || r->row[i].total_ns >= PRECISION_KEPT * total) &&
		    look_at(p, f, r, i,
			    i == largest || r->row[i].total_ns >= PRECISION_MAJOR * total, now_s))
			return -1;
	if (!p->sites)
		p->worst = NAN;
	return p->sites && p->reached == p->sites;
}
