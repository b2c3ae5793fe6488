// SPDX-License-Identifier: GPL-3.0-or-later
/* From what is known to the next delays. */
#include <math.h>
#include <string.h>

#include "collector/causal/causal_private.h"

/* Delays that would change by less stay: what was spun on average is known the better. */
#define SHORTER 0.9
#define LONGER	1.25

static void know_site(const struct causal *c, size_t i, const struct slopes_site *slopes,
		      struct causal_budget_site *b)
{
	const struct causal_candidate *s = &c->site[i];

	b->calls_s = c->design.time > 0 ? c->design.calls[i] / c->design.time : s->calls_s;
	if (!(b->calls_s > s->calls_s / 100)) /* hardly any now: they may come back */
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

int causal_correct(struct causal *c, const struct slopes *all, const struct slopes_site *site)
{
	struct causal_budget b = {.slowdown = c->wishes.slowdown,
				  .unit_s = 1 / causal_pilot_rate(&c->pilot),
				  .longest_s = c->wishes.of_page.longest_s,
				  .part = all ? 1 : 0.5,
				  .whole = {.value = NAN}};
	struct causal_budget_site next[SLOPES_SITES];
	double asked[SLOPES_SITES];
	bool changes = !all;

	if (all && all->unit.value > 0)
		b.unit_s = all->unit.value;
	if (all)
		b.whole = all->slowdown;
	memcpy(next, c->budget, sizeof(next));
	for (size_t i = 0; i < c->sites; i++)
		know_site(c, i, site ? &site[i] : NULL, &next[i]);
	causal_budget_set(&b, next, c->sites);
	for (size_t i = 0; i < c->sites; i++) {
		changes = changes || is_other(&c->budget[i], &next[i]);
		asked[i] = next[i].high;
	}
	if (!changes)
		return 0;
	memcpy(c->budget, next, sizeof(next));
	return causal_design_epoch(&c->design, asked);
}
