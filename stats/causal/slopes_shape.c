// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes_run.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/numerics/benjamini.h"

/* Mean delay at each level of a column, by progress. */
void slopes_shape_delays(const struct slopes_run *r, size_t c, double mean[SLOPES_LEVELS])
{
	double n[SLOPES_LEVELS] = {0}, sum[SLOPES_LEVELS] = {0};

	for (size_t w = 0; w < r->system.windows; w++) {
		size_t level = r->d->level[r->of[w] * r->d->sites + r->site[c]];

		if (level >= SLOPES_LEVELS)
			continue;
		n[level] += r->n[w];
		sum[level] += r->n[w] * r->x[w * r->width + c];
	}
	for (size_t l = 0; l < SLOPES_LEVELS; l++)
		mean[l] = n[l] > 0 ? sum[l] / n[l] : NAN;
}

/* y without the other sites' effects on two columns: the delay where the level is the lower one,
 * and where it is the higher one. Their coefficients are the chords from 0 to each level. */
static int fit_levels(struct slopes_run *r, size_t c, struct slopes_estimate *e)
{
	size_t windows = r->system.windows;
	double *x = calloc(windows * 3 + 1, sizeof(*x)), *y;
	int status;

	if (!x)
		return -1;
	y = x + windows * 2;
	for (size_t w = 0; w < windows; w++) {
		size_t level = r->d->level[r->of[w] * r->d->sites + r->site[c]];
		double delay = r->x[w * r->width + c];

		if (level == 1 || level == 2)
			x[w * 2 + level - 1] = delay;
		y[w] = r->residual[w] + r->n[w] * delay * r->fit.coefficient[c];
	}
	status = slopes_system_fit(&r->system, x, 2, SIZE_MAX, y, e);
	free(x);
	return status;
}

static struct slopes_value combine(struct slopes_run *r, const struct slopes_estimate *e, double a,
				   double b)
{
	memset(r->room, 0, r->system.windows * sizeof(double));
	slopes_system_influence(&r->system, e, (double[]){a, b}, r->room);
	return slopes_errors_of(a * e->coefficient[0] + b * e->coefficient[1], r->room, e->residual,
				r->system.windows, r->system.blocks + r->width);
}

/* Fills low and high, and the difference of the two, NAN where it is not known. */
static int levels_of(struct slopes_run *r, size_t c, struct slopes_site *site,
		     struct slopes_value *bend)
{
	double delay[SLOPES_LEVELS], more;
	struct slopes_estimate e = {0};

	*bend = (struct slopes_value){NAN, NAN, NAN};
	slopes_shape_delays(r, c, delay);
	site->tested = delay[2];
	if (!(delay[1] > 0) || !(delay[2] > delay[1]))
		return 0;
	if (fit_levels(r, c, &e))
		return -1;
	more = delay[2] - delay[1];
	if (!e.dropped[0])
		site->low = combine(r, &e, 1, 0);
	if (!e.dropped[0] && !e.dropped[1]) {
		site->high = combine(r, &e, -delay[1] / more, delay[2] / more);
		*bend = combine(r, &e, -delay[2] / more, delay[2] / more);
	}
	slopes_system_free(&e);
	return 0;
}

int slopes_shape_fit(struct slopes_run *r, double q, struct slopes_site *site)
{
	struct slopes_value bend[SLOPES_SITES];
	double p[SLOPES_SITES], qs[SLOPES_SITES];
	size_t order[SLOPES_SITES];

	for (size_t c = 0; c < r->columns; c++) {
		if (levels_of(r, c, &site[r->site[c]], &bend[c]))
			return -1;
		p[c] = slopes_errors_p(bend[c]);
	}
	benjamini_q_values(p, qs, r->columns, order);
	for (size_t c = 0; c < r->columns; c++)
		if (qs[c] <= q)
			site[r->site[c]].shape = bend[c].value > 0 ? SLOPES_CONVEX : SLOPES_CONCAVE;
	return 0;
}

int slopes_shape_latency(struct slopes_run *r, struct slopes_site *site)
{
	for (size_t c = 0; c < r->columns; c++) {
		struct slopes_site levels = {0}, *to = &site[r->site[c]];

		if (levels_of(r, c, &levels, &to->latency_bend))
			return -1;
		/* The slopes' midpoints are half of the higher delay apart. */
		to->latency_bend.value *= 2 / levels.tested;
		to->latency_bend.error *= 2 / levels.tested;
	}
	return 0;
}
