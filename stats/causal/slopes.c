// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes.h"

#include <math.h>
#include <stdint.h>

#include "stats/causal/slopes_private.h"
#include "stats/numerics/distributions.h"

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

static void fill_q(size_t sites, struct slopes_site *site)
{
	double p[SLOPES_SITES], q[SLOPES_SITES];
	size_t order[SLOPES_SITES];

	for (size_t s = 0; s < sites; s++)
		p[s] = site[s].p;
	distributions_q_values(p, q, sites, order);
	for (size_t s = 0; s < sites; s++)
		site[s].q = q[s];
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
	fill_q(r->d->sites, site);
	slopes_run_unit(r, r->time, &out->unit, &out->slowdown);
	return slopes_shape_fit(r, q, site) || slopes_shape_fit_pairs(r, q, site) ? -1 : 0;
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
	int status;

	fill_unknown(d, out, site);
	fill_threads(d, site);
	if (d->sites > SLOPES_SITES)
		return 0;
	status = slopes_run_begin(&r, d);
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
