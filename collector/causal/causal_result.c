// SPDX-License-Identifier: GPL-3.0-or-later
/* What the experiment says, and why it may say less. */
#include <math.h>
#include <stdlib.h>

#include "collector/causal/causal_private.h"
#include "stats/numerics/distributions.h"

#define MANY_LATE    0.1  /* of the windows */
#define MANY_SKIPPED 0.01 /* of the delays */

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_window(const struct causal_design *d)
{
	double *time = malloc((d->windows + 1) * sizeof(*time)), median = NAN;

	for (size_t i = 0; time && i < d->windows; i++)
		time[i] = d->window[i].time;
	if (time && d->windows) {
		qsort(time, d->windows, sizeof(*time), by_number);
		median = time[d->windows / 2];
	}
	free(time);
	return median;
}

static unsigned find_problems(const struct causal *c, const struct slopes *s)
{
	double limit =
		s->slowdown.value -
		distributions_t_quantile(0.95, fmax(s->slowdown.freedom, 1)) * s->slowdown.error;
	unsigned problems = c->problems;
	size_t windows = c->design.windows;

	if (!(problems & (CAUSAL_NO_PROGRESS | CAUSAL_NO_SITES)) && windows < SLOPES_WINDOWS)
		problems |= CAUSAL_TOO_SHORT;
	if (limit > c->wishes.slowdown)
		problems |= CAUSAL_SLOWER_THAN_ASKED;
	if ((double)c->late > MANY_LATE * (double)windows && windows)
		problems |= CAUSAL_LATE;
	if (s->carry)
		problems |= CAUSAL_CARRIED;
	if ((double)c->skipped > MANY_SKIPPED * (double)(c->skipped + c->delayed))
		problems |= CAUSAL_SKIPPED;
	return problems;
}

static void fill_site(const struct causal *c, size_t i, const struct slopes_site *slopes,
		      struct causal_result_site *to)
{
	const struct causal_design *d = &c->design;

	*to = (struct causal_result_site){
		.candidate = c->site[i],
		.calls_unit = d->calls[i] / d->progress,
		.delay_low = causal_design_delay(d, i, 1),
		.delay_high = causal_design_delay(d, i, 2),
		.slopes = *slopes,
	};
	for (unsigned level = 0; level < SLOPES_LEVELS; level++)
		to->level[level] = causal_design_unit(d, i, level);
}

int causal_end(struct causal *c, struct causal_result *r)
{
	struct slopes_site site[SLOPES_SITES];
	double rate;

	*r = (struct causal_result){.asked = c->wishes.slowdown, .seed = c->seed};
	if (c->running) {
		causal_stop(c);
		pthread_join(c->thread, NULL);
		c->running = false;
	}
	if (!c->ended_itself)
		causal_design_cut(&c->design);
	r->site = calloc(c->sites + 1, sizeof(*r->site));
	if (c->no_memory || !r->site || causal_windows_fit(c, &r->slopes, site)) {
		causal_result_free(r);
		return -1;
	}
	rate = 1 / r->slopes.unit.value;
	r->rate_per_s = isfinite(rate) ? rate : causal_pilot_rate(&c->pilot);
	r->sites = c->sites;
	for (size_t i = 0; i < c->sites; i++)
		fill_site(c, i, &site[i], &r->site[i]);
	r->window_s = median_window(&c->design);
	r->elapsed_s = c->elapsed_s;
	r->problems = find_problems(c, &r->slopes);
	return 0;
}

void causal_result_free(struct causal_result *r)
{
	free(r->site);
	r->site = NULL;
	r->sites = 0;
}
