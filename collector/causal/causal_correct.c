// SPDX-License-Identifier: GPL-3.0-or-later
/* From what is known to the next delays. */
#include <math.h>
#include <string.h>

#include "collector/causal/causal_private.h"

/* Delays that would change by less stay: what was spun on average is known the better. */
#define SHORTER 0.9
#define LONGER	1.25

double causal_correct_rate(const struct causal *c)
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
				  .part = c->fitted ? 1 : 0.5,
				  .whole = {.value = NAN}};

	/* a thread has no room for longer ones in a window */
	b.longest_s = fmin(c->wishes.of_page.longest_s, causal_budget_limit(&b) * c->window_s / 2);
	if (c->fitted)
		b.whole = c->all.slowdown;
	if (c->fitted && c->all.unit.value > 0)
		b.unit_s = c->all.unit.value;
	b.unit_s = fmin(b.unit_s, 1 / causal_correct_rate(c));
	return b;
}

int causal_correct(struct causal *c)
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
		return 0;
	memcpy(c->budget, next, sizeof(next));
	return causal_design_epoch(&c->design, asked);
}
