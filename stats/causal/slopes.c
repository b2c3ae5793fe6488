// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/causal/slopes_private.h"
#include "stats/numerics/distributions.h"

#define LEAST_DRAWN 8 /* minimum number of windows with a delay, and without one */
#define CARRY_ROOM  6 /* windows minus blocks needed per column to test carry-over */
#define CARRY_P	    0.01

static bool is_drawn(const struct slopes_run *r, size_t site)
{
	const struct slopes_data *d = r->d;
	size_t with = 0, without = 0;

	for (size_t w = 0; w < r->system.windows; w++) {
		double delay = d->delay[r->of[w] * d->sites + site];

		if (!(delay >= 0) || !isfinite(delay))
			return false;
		with += delay > 0;
		without += delay == 0;
	}
	return with >= LEAST_DRAWN && without >= LEAST_DRAWN;
}

static void take_windows(struct slopes_run *r)
{
	const struct slopes_data *d = r->d;
	size_t used = 0, blocks = 0;
	double progress = 0;

	r->latencies = true;
	for (size_t w = 0; w < d->windows; w++) {
		const struct slopes_window *now = &d->window[w];

		if (!(now->time > 0 && now->progress >= 0) || !isfinite(now->time + now->progress))
			continue;
		if (used == 0 || now->block != d->window[r->of[used - 1]].block)
			r->start[blocks++] = used;
		r->of[used] = w;
		r->time[used] = now->time;
		r->n[used] = now->progress;
		r->latency[used] = now->progress > 0 ? now->latency : 0;
		r->latencies = r->latencies && isfinite(r->latency[used]);
		r->weight[used++] = 1;
		progress += now->progress;
	}
	r->start[blocks] = used;
	r->system = (struct slopes_system){used, blocks, r->start, r->n, r->weight};
	if (!(progress > 0) || !isfinite(progress))
		r->system.windows = 0;
}

static void take_columns(struct slopes_run *r)
{
	const struct slopes_data *d = r->d;
	size_t windows = r->system.windows;

	for (size_t s = 0; s < d->sites; s++)
		if (is_drawn(r, s))
			r->site[r->columns++] = s;
	for (size_t w = 0; w < windows; w++) {
		const double *delay = d->delay + r->of[w] * d->sites;
		bool first = r->of[w] == 0;

		for (size_t c = 0; c < r->columns; c++) {
			double last = first ? 0 : delay[r->site[c] - d->sites];

			r->x[w * r->columns + c] = delay[r->site[c]];
			r->before[w * r->columns + c] = last >= 0 && isfinite(last) ? last : 0;
		}
	}
}

/* 0; -1: no memory. slopes_run_end in any case. */
static int slopes_run_begin(struct slopes_run *r, const struct slopes_data *d)
{
	size_t n = d->windows + 1;

	*r = (struct slopes_run){.d = d};
	r->of = calloc(2 * n + 1 + d->sites, sizeof(*r->of));
	r->n = calloc(n, (6 + 2 * d->sites) * sizeof(double));
	if (!r->of || !r->n)
		return -1;
	r->start = r->of + n;
	r->site = r->start + n + 1;
	r->weight = r->n + n;
	r->time = r->weight + n;
	r->latency = r->time + n;
	r->room = r->latency + n;
	r->residual = r->room + n;
	r->x = r->residual + n;
	r->before = r->x + n * d->sites;
	take_windows(r);
	if (r->system.windows >= SLOPES_WINDOWS)
		take_columns(r);
	return 0;
}

static void slopes_run_end(struct slopes_run *r)
{
	slopes_system_free(&r->fit);
	slopes_system_free(&r->carried);
	free(r->of);
	free(r->n);
}

static int fit_once(struct slopes_run *r, const double *y)
{
	slopes_system_free(&r->fit);
	return slopes_system_fit(&r->system, r->x, r->columns, y, &r->fit);
}

/* p of no effect at all that outlasts a window: the smallest of all sites' times their number
 * (Bonferroni). *site: whose it is. */
static double least_carried(struct slopes_run *r, size_t *site)
{
	const struct slopes_system *s = &r->system;
	double least = NAN;

	for (size_t c = 0; c < r->columns; c++) {
		for (size_t w = 0; w < s->windows; w++)
			r->room[w] = r->carried.influence[w * r->columns + c];
		double p = slopes_system_p(slopes_system_error(r->carried.coefficient[c], r->room,
							       r->carried.residual, s->windows,
							       s->blocks + r->columns));
		if (!(p >= least) && !isnan(p)) {
			least = p;
			*site = r->site[c];
		}
	}
	return fmin(1, least * (double)r->columns);
}

/* Regresses the residuals on the draws of the previous windows. */
static int fit_carry(struct slopes_run *r, double *p)
{
	const struct slopes_system *s = &r->system;

	slopes_system_free(&r->carried);
	if (r->columns == 0 || s->windows < s->blocks + CARRY_ROOM * r->columns)
		return 0;
	if (slopes_system_fit(s, r->before, r->columns, r->residual, &r->carried))
		return -1;
	if (p) {
		*p = least_carried(r, &r->carrier);
		r->carry = *p < CARRY_P;
	}
	if (r->carry)
		memcpy(r->residual, r->carried.residual, s->windows * sizeof(double));
	return 0;
}

/* Fits y twice, then with weights. The first fit of the times decides on carry-over. */
static int slopes_run_fit(struct slopes_run *r, const double *y, double *carried)
{
	size_t windows = r->system.windows;

	for (size_t w = 0; w < windows; w++)
		r->weight[w] = 1;
	if (fit_once(r, y))
		return -1;
	slopes_system_weights(r->fit.residual, y, windows, r->weight, r->room);
	if (fit_once(r, y))
		return -1;
	memcpy(r->residual, r->fit.residual, windows * sizeof(double));
	return fit_carry(r, carried);
}

/* y per unit without delays, over windows with their weights; and the total effect
 * of all delays as a share of it. */
static void slopes_run_unit(struct slopes_run *r, const double *y, struct slopes_value *unit,
			    struct slopes_value *share)
{
	const struct slopes_system *s = &r->system;
	double n = 0, sum = 0, added = 0, error;
	double *mean = calloc(r->columns + 1, sizeof(*mean));

	*unit = *share = (struct slopes_value){NAN, NAN, NAN};
	for (size_t w = 0; mean && w < s->windows; w++) {
		n += s->weight[w] * s->n[w];
		sum += s->weight[w] * y[w];
		for (size_t c = 0; c < r->columns; c++)
			mean[c] += s->weight[w] * s->n[w] * r->x[w * r->columns + c];
	}
	for (size_t c = 0; mean && c < r->columns; c++)
		added += mean[c] * slopes_run_value(r, c);
	if (!mean || !(n > 0))
		goto out;
	unit->value = (sum - added) / n;
	memset(r->room, 0, s->windows * sizeof(double));
	slopes_system_influence(s, &r->fit, mean, r->room);
	if (r->carry)
		slopes_system_influence(s, &r->carried, mean, r->room);
	*share = slopes_system_error(added, r->room, r->residual, s->windows,
				     s->blocks + r->columns);
	error = share->error;
	share->value /= n * unit->value;
	share->error /= n * unit->value;
	for (size_t w = 0; w < s->windows; w++) {
		r->room[w] = y[w] - s->n[w] * unit->value;
		for (size_t c = 0; c < r->columns; c++)
			r->room[w] -= s->n[w] * r->x[w * r->columns + c] * slopes_run_value(r, c);
		r->room[w] *= s->weight[w];
	}
	slopes_system_mean(r->room, s->windows, &unit->error, &unit->freedom);
	unit->error *= (double)s->windows / n;
	if (isfinite(error))
		unit->error = hypot(unit->error, error / n);
out:
	free(mean);
}

static const struct slopes_value unknown = {NAN, NAN, NAN};

static void fill_unknown(const struct slopes_data *d, struct slopes *out, struct slopes_site *site)
{
	*out = (struct slopes){
		.unit = unknown, .latency = unknown, .slowdown = unknown, .carried = NAN};
	for (size_t s = 0; s < d->sites; s++)
		site[s] = (struct slopes_site){
			.slope = unknown,
			.low = unknown,
			.high = unknown,
			.others_slower = unknown,
			.bend = unknown,
			.latency = unknown,
			.latency_bend = unknown,
			.tested = NAN,
			.p = NAN,
			.q = NAN,
			.interacts = SIZE_MAX,
		};
}

/* Fills in the threads that are busy longest, in any order. */
static void fill_threads(const struct slopes_data *d, struct slopes_site *site)
{
	for (size_t t = 0; t < d->threads; t++) {
		size_t rank = 0;

		for (size_t other = 0; other < d->threads; other++)
			rank += d->busy[other] > d->busy[t] ||
				(other < t && d->busy[other] >= d->busy[t]);
		if (rank >= SLOPES_THREADS || !(d->busy[t] > 0) || !isfinite(d->busy[t]))
			continue;
		for (size_t s = 0; s < d->sites; s++)
			site[s].thread[site[s].threads++] =
				(struct slopes_thread){d->busy[t], d->calls[t * d->sites + s]};
	}
}

static int fill_q(size_t sites, struct slopes_site *site)
{
	double q[SLOPES_SITES];

	for (size_t s = 0; s < sites; s++)
		q[s] = site[s].p;
	if (distributions_q_values(q, sites))
		return -1;
	for (size_t s = 0; s < sites; s++)
		site[s].q = q[s];
	return 0;
}

static int fit_times(struct slopes_run *r, double q, struct slopes *out, struct slopes_site *site)
{
	if (slopes_run_fit(r, r->time, &out->carried))
		return -1;
	out->carry = r->carry;
	out->carrier = r->carrier;
	for (size_t c = 0; c < r->columns; c++) {
		struct slopes_site *s = &site[r->site[c]];

		s->slope = slopes_run_slope(r, c);
		s->p = slopes_system_p(s->slope);
		s->known = isfinite(s->slope.error);
	}
	slopes_run_unit(r, r->time, &out->unit, &out->slowdown);
	return fill_q(r->d->sites, site) || slopes_shape_fit(r, q, site) ||
			       slopes_shape_fit_pairs(r, q, site)
		       ? -1
		       : 0;
}

static int fit_latencies(struct slopes_run *r, struct slopes *out, struct slopes_site *site)
{
	struct slopes_value share;

	if (slopes_run_fit(r, r->latency, NULL))
		return -1;
	for (size_t c = 0; c < r->columns; c++)
		site[r->site[c]].latency = slopes_run_slope(r, c);
	slopes_run_unit(r, r->latency, &out->latency, &share);
	return slopes_shape_latency(r, site);
}

int slopes_fit(const struct slopes_data *d, double q, struct slopes *out, struct slopes_site *site)
{
	struct slopes_run r;

	fill_unknown(d, out, site);
	fill_threads(d, site);
	if (d->sites > SLOPES_SITES)
		return 0;
	int status = slopes_run_begin(&r, d);
	if (status == 0) {
		out->windows = r.system.windows;
		if (r.system.windows >= SLOPES_WINDOWS) {
			status = fit_times(&r, q, out, site);
			if (status == 0 && r.latencies)
				status = fit_latencies(&r, out, site);
		}
	}
	slopes_run_end(&r);
	return status;
}
