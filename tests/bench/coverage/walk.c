// SPDX-License-Identifier: GPL-3.0-or-later
/* The definitions of the dependences: every faster source stands for one of these
 * programs, and is checked against it (lab --check). */
#include <stdlib.h>

#include "tests/bench/coverage/walk.h"

/* Long gaps between random ticks are crossed at one go: the sum of so many
 * uniform(1/2, 3/2), or more, is normal to all that matters. They stop this many
 * standard deviations short of the goal. */
#define MANY_TICKS  16
#define SHORT_OF_IT 5
#define TICK_SD	    0.28867513459481287 /* 1 / sqrt 12 */

/* What remains of a tick at a random instant: density 1 up to 1/2, then 3/2 - x. */
static double tick_rest(struct dice *d)
{
	double u = dice_unit(d);

	return u < 0.5 ? u : 1.5 - sqrt(2 * (1 - u));
}

void wall_begin(struct wall *w, double at, struct dice *d)
{
	w->next = at + tick_rest(d);
	w->ticks = 0;
}

uint64_t wall_read(struct wall *w, double at, struct dice *d)
{
	while (w->next <= at) {
		double gap = at - w->next, far = gap - SHORT_OF_IT * TICK_SD * sqrt(gap);

		if (far >= MANY_TICKS) {
			far = floor(far);
			w->next += far + TICK_SD * sqrt(far) * dice_normal(d);
			w->ticks += (uint64_t)far;
		} else {
			w->next += 0.5 + dice_unit(d);
			w->ticks++;
		}
	}
	return w->ticks;
}

uint64_t walk_fixed_ticks(double t, struct dice *d)
{
	return (uint64_t)(t + dice_unit(d));
}

uint64_t walk_random_ticks(double t, struct dice *d)
{
	struct wall w;

	if (t < 0.5)
		return dice_unit(d) < t;
	wall_begin(&w, 0, d);
	return wall_read(&w, t, d);
}

bool walk_tells_time(const struct cell *c)
{
	return c->dependence == DEPENDENCE_LOOP || c->dependence == DEPENDENCE_BURSTS_OF_LOOPS ||
	       cell_period(c) > 0;
}

void walk_begin(struct walk *w, const struct cell *c, struct dice *d)
{
	*w = (struct walk){.cell = c, .dice = d, .period = cell_period(c), .level = 1};
	w->at = dice_unit(d);
	w->z = dice_normal(d);
	w->burst = cell_burst(c);
	wall_begin(&w->wall, w->at, d);
}

static void next_burst(struct walk *w)
{
	w->left = w->burst;
	w->level = exp(BURST_SIGMA * dice_normal(w->dice) - BURST_SIGMA * BURST_SIGMA / 2);
	/* A gap so long that the phase is any. */
	w->at += RECORDER_FAR + dice_unit(w->dice);
	if (w->cell->randomised)
		wall_begin(&w->wall, w->at, w->dice);
}

void walk_enter_burst(struct walk *w)
{
	if (w->cell->dependence >= DEPENDENCE_BURSTS && w->left == 0)
		next_burst(w);
}

static double next_duration(struct walk *w)
{
	double t;

	if (w->cell->dependence != DEPENDENCE_AR1)
		return w->level * law_draw(&w->cell->law, w->dice);
	t = law_of_normal(&w->cell->law, w->z);
	w->z = AR1_CORRELATION * w->z +
	       sqrt(1 - AR1_CORRELATION * AR1_CORRELATION) * dice_normal(w->dice);
	return t;
}

uint64_t walk_call(struct walk *w)
{
	const struct cell *c = w->cell;
	double start, end;
	uint64_t before;

	walk_enter_burst(w);
	w->left--;
	w->duration = next_duration(w);
	if (!walk_tells_time(c))
		return c->randomised ? walk_random_ticks(w->duration, w->dice)
				     : walk_fixed_ticks(w->duration, w->dice);
	start = w->at;
	end = start + w->duration;
	w->at = w->period > 0 ? start + w->period * fmax(1, ceil(w->duration / w->period)) : end;
	if (!c->randomised)
		return (uint64_t)end - (uint64_t)start;
	before = wall_read(&w->wall, start, w->dice);
	return wall_read(&w->wall, end, w->dice) - before;
}

static void draw(struct source *s, struct dice *d, struct recorder *r)
{
	bool timed = walk_tells_time(&s->cell);
	struct walk w;

	walk_begin(&w, &s->cell, d);
	recorder_begin(r, s->cell.n, !s->cell.randomised);
	for (uint64_t i = 0; i < s->cell.n; i++) {
		if (timed && !s->cell.randomised) {
			walk_enter_burst(&w);
			recorder_phase(r, w.at, d);
		}
		recorder_add(r, walk_call(&w));
	}
	if (!timed)
		recorder_scatter_phases(r, s->cell.n, d);
}

struct source *walk_create(const struct cell *c)
{
	struct source *s = malloc(sizeof *s);
	double per_call = c->law.kind == LAW_CONSTANT ? 8 : c->law.kind == LAW_LOGNORMAL ? 25 : 15;

	if (!s)
		return NULL;
	if (c->dependence == DEPENDENCE_AR1)
		per_call += 40;
	if (c->randomised)
		per_call += 10 + 5 * fmin(20, c->law.mean);
	*s = (struct source){.draw = draw,
			     .cell = *c,
			     .truth = c->law.mean,
			     .deviation = NAN,
			     .cost_ns = per_call * (double)c->n};
	return s;
}
