// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes_run.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/numerics/benjamini.h"

#define MOST_SITES 8 /* whose pairs are tested */
#define MOST_PAIRS (MOST_SITES * (MOST_SITES - 1) / 2)
#define SEEN	   -1.2816 /* Student's t of a pair that lowers a prediction's lower limit: 10 % */

/* Mean delay at each level of a column, by progress. */
static void mean_delays(const struct slopes_run *r, size_t c, double mean[SLOPES_LEVELS])
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
	double *x = calloc(windows * 3 + 1, sizeof(*x)), *y = x + windows * 2;
	int status = -1;

	if (!x)
		return -1;
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

/* Fills low and high; returns the difference of the two, NAN where it is not known. */
static int levels_of(struct slopes_run *r, size_t c, struct slopes_site *site,
		     struct slopes_value *bend)
{
	double delay[SLOPES_LEVELS], more;
	struct slopes_estimate e = {0};

	*bend = (struct slopes_value){NAN, NAN, NAN};
	mean_delays(r, c, delay);
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

static int fit_bends(struct slopes_run *r, double q, struct slopes_site *site)
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

/* The surest sites' columns, surest first. */
static size_t choose(const struct slopes_run *r, double q, const struct slopes_site *site,
		     size_t chosen[MOST_SITES])
{
	size_t count = 0;
	bool taken[SLOPES_SITES] = {false};

	while (count < MOST_SITES) {
		size_t best = SIZE_MAX;

		for (size_t c = 0; c < r->columns; c++)
			if (!taken[c] && site[r->site[c]].q <= q &&
			    (best == SIZE_MAX || site[r->site[c]].p < site[r->site[best]].p))
				best = c;
		if (best == SIZE_MAX)
			break;
		taken[best] = true;
		chosen[count++] = best;
	}
	return count;
}

struct pairs {
	size_t sites, count;
	size_t site[MOST_SITES];		      /* columns */
	size_t first[MOST_PAIRS], second[MOST_PAIRS]; /* in `site` */
	double mean[MOST_SITES], high[MOST_SITES]; /* delay on average, and at the higher level */
	struct slopes_estimate e;
};

/* Products of two sites' delays, each less its mean, on what the slopes leave unexplained. */
static int fit_pairs(struct slopes_run *r, struct pairs *v)
{
	size_t windows = r->system.windows;
	double *x = calloc(windows * v->count + 1, sizeof(*x));
	int status;

	if (!x)
		return -1;
	for (size_t i = 0; i < v->sites; i++) {
		double delay[SLOPES_LEVELS], n = 0, sum = 0;

		mean_delays(r, v->site[i], delay);
		for (size_t w = 0; w < windows; w++) {
			n += r->n[w];
			sum += r->n[w] * r->x[w * r->width + v->site[i]];
		}
		v->mean[i] = sum / n;
		v->high[i] = delay[2];
	}
	for (size_t w = 0; w < windows; w++)
		for (size_t k = 0; k < v->count; k++) {
			const double *row = r->x + w * r->width;
			size_t i = v->first[k], j = v->second[k];

			x[w * v->count + k] =
				(row[v->site[i]] - v->mean[i]) * (row[v->site[j]] - v->mean[j]);
		}
	status = slopes_system_fit(&r->system, x, v->count, SIZE_MAX, r->residual, &v->e);
	free(x);
	return status;
}

/* The slope of site i while those that it interacts with are at their higher level. */
static void tell_others(struct slopes_run *r, const struct pairs *v, size_t i, const double *p,
			const bool *found, struct slopes_site *site)
{
	double c[MOST_PAIRS] = {0}, least = 1, value = site->slope.value;

	for (size_t k = 0; k < v->count; k++) {
		size_t other = v->first[k] == i ? v->second[k] : v->first[k];

		if (!found[k] || (v->first[k] != i && v->second[k] != i))
			continue;
		c[k] = v->high[other] - v->mean[other];
		value += c[k] * v->e.coefficient[k];
		if (p[k] <= least) {
			least = p[k];
			site->interacts = r->site[v->site[other]];
		}
	}
	if (site->interacts == SIZE_MAX)
		return;
	slopes_run_slope(r, v->site[i]);
	slopes_system_influence(&r->system, &v->e, c, r->room);
	site->others_slower = slopes_errors_of(value, r->room, v->e.residual, r->system.windows,
					       r->system.blocks + r->width + v->count);
	site->shape = SLOPES_CONDITIONAL;
}

/* What slowing the others does to the slope is what a faster site does to it itself: where all
 * times grow by one factor the whole does (a max-plus system is homogeneous), so that the second
 * derivatives of a site sum up to 0. Pairs that are only suspected count. */
static void tell_bend(struct slopes_run *r, const struct pairs *v, size_t i, const double *t,
		      struct slopes_site *site)
{
	double c[MOST_PAIRS] = {0}, value = 0;

	for (size_t k = 0; k < v->count; k++)
		if (t[k] < SEEN && (v->first[k] == i || v->second[k] == i)) {
			c[k] = -1;
			value -= v->e.coefficient[k];
		}
	memset(r->room, 0, r->system.windows * sizeof(double));
	slopes_system_influence(&r->system, &v->e, c, r->room);
	site->bend = slopes_errors_of(value, r->room, v->e.residual, r->system.windows,
				      r->system.blocks + r->width + v->count);
}

static int fit_interactions(struct slopes_run *r, double q, struct slopes_site *site)
{
	struct pairs v = {0};
	double p[MOST_PAIRS], t[MOST_PAIRS], qs[MOST_PAIRS];
	size_t order[MOST_PAIRS];
	bool found[MOST_PAIRS];

	v.sites = choose(r, q, site, v.site);
	for (size_t i = 0; i < v.sites; i++)
		for (size_t j = i + 1; j < v.sites; j++) {
			v.first[v.count] = i;
			v.second[v.count++] = j;
		}
	if (v.count == 0 || r->system.windows < r->system.blocks + 3 * v.count)
		return 0;
	if (fit_pairs(r, &v))
		return -1;
	for (size_t k = 0; k < v.count; k++) {
		double c[MOST_PAIRS] = {0};
		struct slopes_value pair;

		c[k] = 1;
		memset(r->room, 0, r->system.windows * sizeof(double));
		slopes_system_influence(&r->system, &v.e, c, r->room);
		pair = slopes_errors_of(v.e.coefficient[k], r->room, v.e.residual,
					r->system.windows, r->system.blocks + r->width + v.count);
		p[k] = slopes_errors_p(pair);
		t[k] = pair.value / pair.error;
	}
	benjamini_q_values(p, qs, v.count, order);
	for (size_t k = 0; k < v.count; k++)
		found[k] = qs[k] <= q;
	for (size_t i = 0; i < v.sites; i++) {
		tell_others(r, &v, i, p, found, &site[r->site[v.site[i]]]);
		tell_bend(r, &v, i, t, &site[r->site[v.site[i]]]);
	}
	slopes_system_free(&v.e);
	return 0;
}

int slopes_shape_fit(struct slopes_run *r, double q, struct slopes_site *site)
{
	return fit_bends(r, q, site) || fit_interactions(r, q, site) ? -1 : 0;
}
