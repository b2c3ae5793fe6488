// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays that grow. */
#include "collector/causal/causal_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

unsigned char causal_design_draw(struct random *r, double active)
{
	double u = (double)(random_next(r) >> 11) * 0x1p-53;

	return u >= active ? 0 : u < active / 2 ? 1 : 2;
}

void causal_design_begin(struct causal_design *d, size_t sites)
{
	*d = (struct causal_design){.sites = sites};
}

void causal_design_free(struct causal_design *d)
{
	PROF_FREE(d, window, level, epoch_of, epoch);
	*d = (struct causal_design){0};
}

int causal_design_epoch(struct causal_design *d, const double *asked)
{
	struct causal_design_epoch *epoch = ARRAY_APPEND(d->epoch, d->epochs);

	if (epoch)
		memcpy(epoch->asked, asked, d->sites * sizeof(*asked));
	return epoch ? 0 : -1;
}

void causal_design_break(struct causal_design *d)
{
	d->block = d->windows ? d->window[d->windows - 1].block + 1 : 0;
	d->block_windows = d->neighbours = d->empty = 0;
	d->expected = 0;
}

/* Room for one more. */
static int grow(struct causal_design *d)
{
	uint32_t room[3] = {d->room, d->room, d->room}, last = (uint32_t)d->windows;

	if (d->windows == CAUSAL_DESIGN_WINDOWS ||
	    !array_reach((void **)&d->window, &room[0], last, sizeof(*d->window), 0) ||
	    !array_reach((void **)&d->level, &room[1], last, d->sites ? d->sites : 1, 0) ||
	    !array_reach((void **)&d->epoch_of, &room[2], last, sizeof(*d->epoch_of), 0))
		return -1;
	d->room = room[0]; /* all grow alike */
	return 0;
}

/* What was spun in it stays: it was spun. */
static void drop_last(struct causal_design *d)
{
	const struct slopes_window *last = &d->window[--d->windows];

	d->time -= last->time;
	d->progress -= last->progress;
}

/* Whether the window says nothing. */
static bool watch_idle(struct causal_design *d, const struct slopes_window *w, double rate)
{
	if (w->progress > 0) {
		bool first = d->idle;

		d->idle = false;
		d->empty = 0;
		d->expected = 0;
		d->left_out += first;
		return first;
	}
	d->empty++;
	d->expected += w->time * rate;
	if (!d->idle && d->expected >= CAUSAL_DESIGN_IDLE) {
		d->idle = true;
		d->idle_times++;
		/* this one is not in yet: so one before them, too */
		for (; d->empty && d->neighbours; d->empty--, d->neighbours--, d->left_out++)
			drop_last(d);
		causal_design_break(d);
	}
	d->left_out += d->idle;
	return d->idle;
}

int causal_design_add(struct causal_design *d, const struct causal_design_seen *w, double rate)
{
	if (watch_idle(d, &w->window, rate))
		return 0;
	if (!d->epochs || grow(d))
		return -1;
	d->window[d->windows] = w->window;
	d->window[d->windows].block = d->block;
	memcpy(d->level + d->windows * d->sites, w->level, d->sites);
	d->epoch_of[d->windows] = (uint32_t)(d->epochs - 1);
	for (size_t s = 0; s < d->sites; s++) {
		struct causal_design_calls *to = &d->epoch[d->epochs - 1].seen[s][w->level[s]];

		to->calls += w->calls[s].calls;
		to->delayed_s += w->calls[s].delayed_s;
		d->calls[s] += w->calls[s].calls;
	}
	d->time += w->window.time;
	d->progress += w->window.progress;
	d->units += w->window.progress;
	d->windows++;
	d->neighbours++;
	if (++d->block_windows == CAUSAL_DESIGN_BLOCK) {
		d->block++;
		d->block_windows = 0;
	}
	return 0;
}

void causal_design_cut(struct causal_design *d)
{
	while (d->windows && !(d->window[d->windows - 1].progress > 0))
		drop_last(d);
	if (d->windows)
		drop_last(d);
}

int causal_design_data(const struct causal_design *d, struct slopes_data *data, double **delay)
{
	double *to = malloc((d->windows * d->sites + 1) * sizeof(*to));

	*delay = to;
	if (!to)
		return -1;
	for (size_t w = 0; w < d->windows; w++)
		for (size_t s = 0; s < d->sites; s++) {
			const struct causal_design_epoch *e = &d->epoch[d->epoch_of[w]];
			unsigned level = d->level[w * d->sites + s];
			double asked = e->asked[s] * level / (SLOPES_LEVELS - 1);

			to[w * d->sites + s] =
				!level ? 0
				       : (e->seen[s][level].delayed_s +
					  CAUSAL_DESIGN_ASKED * asked) /
						 (e->seen[s][level].calls + CAUSAL_DESIGN_ASKED);
		}
	*data = (struct slopes_data){.windows = d->windows,
				     .sites = d->sites,
				     .window = d->window,
				     .level = d->level,
				     .delay = to};
	return 0;
}

double causal_design_delay(const struct causal_design *d, size_t site, unsigned level)
{
	struct causal_design_calls sum = {0};

	for (size_t e = 0; e < d->epochs; e++) {
		sum.calls += d->epoch[e].seen[site][level].calls;
		sum.delayed_s += d->epoch[e].seen[site][level].delayed_s;
	}
	return sum.calls > 0 ? sum.delayed_s / sum.calls : NAN;
}

struct slopes_value causal_design_unit(const struct causal_design *d, size_t site, unsigned level)
{
	struct slopes_value v = {NAN, NAN, NAN};
	double time = 0, progress = 0, squares = 0, count = 0;

	for (size_t w = 0; w < d->windows; w++)
		if (d->level[w * d->sites + site] == level) {
			time += d->window[w].time;
			progress += d->window[w].progress;
			count++;
		}
	if (!(progress > 0))
		return v;
	v.value = time / progress;
	for (size_t w = 0; w < d->windows; w++)
		if (d->level[w * d->sites + site] == level) {
			double rest = d->window[w].time - v.value * d->window[w].progress;

			squares += rest * rest;
		}
	if (count > 1) {
		v.error = sqrt(squares * count / (count - 1)) / progress;
		v.freedom = count - 1;
	}
	return v;
}
