// SPDX-License-Identifier: GPL-3.0-or-later
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/causal/slopes_private.h"
#include "stats/numerics/distributions.h"

/* Mean delay at each level of a column, weighted by progress. */
static void mean_delays(const struct slopes_run *r, size_t c, double mean[SLOPES_LEVELS])
{
	double n[SLOPES_LEVELS] = {0}, sum[SLOPES_LEVELS] = {0};

	for (size_t w = 0; w < r->system.windows; w++) {
		size_t level = r->d->level[r->of[w] * r->d->sites + r->site[c]];

		if (level >= SLOPES_LEVELS)
			continue;
		n[level] += r->n[w];
		sum[level] += r->n[w] * r->x[w * r->columns + c];
	}
	for (size_t l = 0; l < SLOPES_LEVELS; l++)
		mean[l] = n[l] > 0 ? sum[l] / n[l] : NAN;
}

/* Regresses y, without the effects of the other sites, on two columns: the delay in windows of the
 * lower level and of the higher level. The coefficients are the chords from 0 to each level. */
static int fit_levels(struct slopes_run *r, size_t c, struct slopes_estimate *e)
{
	size_t windows = r->system.windows;
	double *x = calloc(windows * 3 + 1, sizeof(*x)), *y;

	if (!x)
		return -1;
	y = x + windows * 2;
	for (size_t w = 0; w < windows; w++) {
		size_t level = r->d->level[r->of[w] * r->d->sites + r->site[c]];
		double delay = r->x[w * r->columns + c];

		if (level == 1 || level == 2)
			x[w * 2 + level - 1] = delay;
		y[w] = r->residual[w] + r->n[w] * delay * r->fit.coefficient[c];
	}
	int status = slopes_system_fit(&r->system, x, 2, y, e);
	free(x);
	return status;
}

/* The sum of c[k] times coefficient k, of a fit that used up `more` than the slopes'. */
static struct slopes_value combine(struct slopes_run *r, const struct slopes_estimate *e,
				   const double *c, size_t more)
{
	double value = 0;

	memset(r->room, 0, r->system.windows * sizeof(double));
	slopes_system_influence(&r->system, e, c, r->room);
	for (size_t k = 0; k < e->columns; k++)
		value += c[k] * e->coefficient[k];
	return slopes_system_error(value, r->room, e->residual, r->system.windows,
				   r->system.blocks + r->columns + more);
}

/* Fills in low, high and their difference; NAN if unknown. */
static int levels_of(struct slopes_run *r, size_t c, struct slopes_site *site,
		     struct slopes_value *bend)
{
	double delay[SLOPES_LEVELS], more;
	struct slopes_estimate e = {0};

	*bend = (struct slopes_value){NAN, NAN, NAN};
	mean_delays(r, c, delay);
	site->tested = delay[2];
	if (!(delay[1] > 0) || !(delay[2] > delay[1]))
		return 0;
	if (fit_levels(r, c, &e))
		return -1;
	more = delay[2] - delay[1];
	if (!e.dropped[0])
		site->low = combine(r, &e, (double[]){1, 0}, 0);
	if (!e.dropped[0] && !e.dropped[1]) {
		site->high = combine(r, &e, (double[]){-delay[1] / more, delay[2] / more}, 0);
		*bend = combine(r, &e, (double[]){-delay[2] / more, delay[2] / more}, 0);
	}
	slopes_system_free(&e);
	return 0;
}

int slopes_shape_fit(struct slopes_run *r, double q, struct slopes_site *site)
{
	for (size_t c = 0; c < r->columns; c++) {
		struct slopes_value bend;

		if (levels_of(r, c, &site[r->site[c]], &bend))
			return -1;
		/* each by itself: a bound that is said too often misleads nobody */
		if (slopes_system_p(bend) <= q)
			site[r->site[c]].shape = bend.value > 0 ? SLOPES_CONVEX : SLOPES_CONCAVE;
	}
	return 0;
}

int slopes_shape_latency(struct slopes_run *r, struct slopes_site *site)
{
	for (size_t c = 0; c < r->columns; c++) {
		struct slopes_site levels = {0}, *to = &site[r->site[c]];

		if (levels_of(r, c, &levels, &to->latency_bend))
			return -1;
		/* The midpoints of the two slopes are half of the higher delay apart. */
		to->latency_bend.value *= 2 / levels.tested;
		to->latency_bend.error *= 2 / levels.tested;
	}
	return 0;
}

#define MOST_SITES 8 /* maximum number of sites whose pairs are tested */
#define MOST_PAIRS (MOST_SITES * (MOST_SITES - 1) / 2)
#define SUSPECTED  1.0 /* minimum Student's t of a pair that widens a prediction */

struct pairs {
	size_t sites, count;
	size_t site[MOST_SITES];		      /* column of each site */
	size_t first[MOST_PAIRS], second[MOST_PAIRS]; /* indices in `site` */
	double mean[MOST_SITES], high[MOST_SITES];    /* delay: average, and at the higher level */
	double p[MOST_PAIRS], q[MOST_PAIRS], t[MOST_PAIRS];
	struct slopes_estimate e;
};

/* Chooses the most significant sites' columns, in descending order, among the significant ones; and
 * lists their pairs. */
static void choose(const struct slopes_run *r, double q, const double *p, struct pairs *v)
{
	bool taken[SLOPES_SITES] = {false};

	while (v->sites < MOST_SITES) {
		size_t best = SIZE_MAX;

		for (size_t c = 0; c < r->columns; c++)
			if (!taken[c] && p[c] <= q && (best == SIZE_MAX || p[c] < p[best]))
				best = c;
		if (best == SIZE_MAX)
			break;
		taken[best] = true;
		v->site[v->sites++] = best;
	}
	for (size_t i = 0; i < v->sites; i++)
		for (size_t j = i + 1; j < v->sites; j++) {
			v->first[v->count] = i;
			v->second[v->count++] = j;
		}
}

/* Regresses what the slopes leave unexplained on products of two sites' centred delays. */
static int fit_pairs(struct slopes_run *r, struct pairs *v)
{
	size_t windows = r->system.windows;
	double *x = calloc(windows * v->count + 1, sizeof(*x));

	if (!x)
		return -1;
	for (size_t i = 0; i < v->sites; i++) {
		double delay[SLOPES_LEVELS], n = 0, sum = 0;

		mean_delays(r, v->site[i], delay);
		for (size_t w = 0; w < windows; w++) {
			n += r->n[w];
			sum += r->n[w] * r->x[w * r->columns + v->site[i]];
		}
		v->mean[i] = sum / n;
		v->high[i] = delay[2];
	}
	for (size_t w = 0; w < windows; w++)
		for (size_t k = 0; k < v->count; k++) {
			const double *row = r->x + w * r->columns;
			size_t i = v->first[k], j = v->second[k];

			x[w * v->count + k] =
				(row[v->site[i]] - v->mean[i]) * (row[v->site[j]] - v->mean[j]);
		}
	int status = slopes_system_fit(&r->system, x, v->count, r->residual, &v->e);
	free(x);
	return status;
}

/* The slope of site i while the sites that interact with it are at their higher level. */
static void tell_others(struct slopes_run *r, const struct pairs *v, size_t i, double q,
			struct slopes_site *site)
{
	double c[MOST_PAIRS] = {0}, least = 1, value = site->slope.value;

	for (size_t k = 0; k < v->count; k++) {
		size_t other = v->first[k] == i ? v->second[k] : v->first[k];

		if (!(v->q[k] <= q) || (v->first[k] != i && v->second[k] != i))
			continue;
		c[k] = v->high[other] - v->mean[other];
		value += c[k] * v->e.coefficient[k];
		if (v->p[k] <= least) {
			least = v->p[k];
			site->interacts = r->site[v->site[other]];
		}
	}
	if (site->interacts == SIZE_MAX)
		return;
	slopes_run_slope(r, v->site[i]);
	slopes_system_influence(&r->system, &v->e, c, r->room);
	site->others_slower = slopes_system_error(value, r->room, v->e.residual, r->system.windows,
						  r->system.blocks + r->columns + v->count);
	site->shape = SLOPES_CONDITIONAL;
}

/* The bend of a site follows from its interactions: if all times grow by one factor, so does the
 * total (a max-plus system is homogeneous), hence the second derivatives of a site sum up to 0.
 * Pairs that are only suspected count, too. */
static struct slopes_value bend_of(struct slopes_run *r, const struct pairs *v, size_t i)
{
	double c[MOST_PAIRS] = {0};

	for (size_t k = 0; k < v->count; k++)
		if ((v->first[k] == i || v->second[k] == i) && -v->t[k] > SUSPECTED)
			c[k] = -1;
	return combine(r, &v->e, c, v->count);
}

static int fit(struct slopes_run *r, double q, const double *p, struct pairs *v)
{
	choose(r, q, p, v);
	if (r->system.windows < r->system.blocks + r->columns + 3 * v->count)
		v->count = 0;
	if (v->count == 0)
		return 0;
	if (fit_pairs(r, v))
		return -1;
	for (size_t k = 0; k < v->count; k++) {
		double c[MOST_PAIRS] = {0};
		struct slopes_value pair;

		c[k] = 1;
		pair = combine(r, &v->e, c, v->count);
		v->p[k] = v->q[k] = slopes_system_p(pair);
		v->t[k] = pair.value / pair.error;
	}
	return distributions_q_values(v->q, v->count);
}

int slopes_shape_fit_pairs(struct slopes_run *r, double q, struct slopes_site *site)
{
	struct pairs v = {0};
	double p[SLOPES_SITES];
	int status;

	for (size_t c = 0; c < r->columns; c++)
		p[c] = site[r->site[c]].p;
	status = fit(r, q, p, &v);
	for (size_t i = 0; !status && v.count > 0 && i < v.sites; i++) {
		tell_others(r, &v, i, q, &site[r->site[v.site[i]]]);
		site[r->site[v.site[i]]].bend = bend_of(r, &v, i);
	}
	slopes_system_free(&v.e);
	return status;
}
