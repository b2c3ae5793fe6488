// SPDX-License-Identifier: GPL-3.0-or-later
/* A comparison finds a change that exceeds its margin plus a multiple of its standard error, which
 * falls with the square root of the number of calls. */
#include "cli/plan/plan_change.h"

#include <math.h>
#include <stdlib.h>

/* The standard errors of the pilot run are estimates, and those of a later run may be larger:
 * enough calls for a power of 0.99 if they are right. */
#define RESERVE 1.3

static struct plan_change_need need_of(const struct diff_site *s, enum diff_quantity of,
				       double change)
{
	const struct diff_finding *f = &s->found[of];
	struct plan_change_need n = {NAN, NAN};
	double room, now;

	if (f->status != DIFF_SAME)
		return n;
	n.now = f->shown.detectable;
	room = log1p(change) - f->shown.margin;
	now = log(f->shown.detectable) - f->shown.margin;
	n.calls = room > 0 ? ceil(RESERVE * s->base_calls * (now / room) * (now / room)) : INFINITY;
	return n;
}

static void add_site(struct plan_change *p, uint32_t at, double change)
{
	struct plan_change_site *s = &p->site[p->sites++];

	s->site = at;
	for (int of = 0; of < DIFF_QUANTITIES; of++)
		s->need[of] = need_of(&p->diff->site[at], (enum diff_quantity)of, change);
	p->states |= p->diff->site[at].states;
}

static void add_up(struct plan_change *p, enum diff_quantity of)
{
	struct plan_change_sum *sum = &p->sum[of];

	sum->factor = 1;
	for (uint32_t i = 0; i < p->sites; i++) {
		double calls = p->site[i].need[of].calls;

		sum->unknown += isnan(calls);
		sum->never += isinf(calls);
		if (!isfinite(calls))
			continue;
		sum->within++;
		sum->factor = fmax(sum->factor, calls / p->diff->site[p->site[i].site].base_calls);
	}
}

/* What waits only where nothing works, as in the plan of sites. */
static void choose(struct plan_change *p, const struct plan_options *o)
{
	const struct diff *d = p->diff;
	bool works = false;
	double all_ns = d->base_total_ns;

	for (uint32_t i = 0; i < d->sites; i++)
		works = works || !d->site[i].waiting;
	for (uint32_t i = 0; i < d->sites && !works; i++)
		all_ns += d->site[i].base_total_ns;
	for (uint32_t i = 0; i < d->sites; i++)
		if (d->site[i].waiting != works && d->site[i].base_total_ns > o->share * all_ns)
			add_site(p, i, o->change);
}

int plan_change_build(struct plan_change *p, const struct profile *profile,
		      const struct plan_options *o)
{
	struct diff_options options = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;

	*p = (struct plan_change){.both = {profile, profile}};
	options.by = o->by;
	options.confidence = o->confidence;
	p->diff = diff_model_build(p->both, 2, 1, &options, &why);
	if (!p->diff)
		return -1;
	p->site = calloc(p->diff->sites + 1, sizeof(*p->site));
	if (!p->site)
		return -1;
	p->calls = p->diff->base_calls;
	choose(p, o);
	for (int of = 0; of < DIFF_QUANTITIES; of++)
		add_up(p, (enum diff_quantity)of);
	return 0;
}

void plan_change_end(struct plan_change *p)
{
	diff_model_free(p->diff);
	free(p->site);
	*p = (struct plan_change){0};
}
