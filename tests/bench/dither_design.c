// SPDX-License-Identifier: GPL-3.0-or-later
/* Which dither tells most: simulated runs of 30 s with two loops of constant rate, of a site each,
 * whose costs by displacement are known. For the same loss of throughput, threads held up for
 * little of many windows against for much of few; windows of one to six spans. Asserts nothing.
 *
 *      dither_design [TIMES]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/displacement/sites/site_dither.h"
#include "stats/regression/site_costs.h"

#define SPAN_S	0.04
#define SPANS	750
#define SITES	2
#define WINDOWS 1024
#define NOISE	100e-6 /* of a span, with autocorrelation */
#define AGAIN	0.6
#define SWAY	0.005 /* of a rate, from span to span */

static const double rate[SITES] = {20000, 10000}, cost[SITES] = {0.8e-6, 1.8e-6};
static struct random generator;

struct design {
	double share, depth, window_s;
	size_t spans; /* how long it runs */
};

struct run {
	struct site_costs_span span[SPANS];
	double calls[SPANS * SITES], drawn[SPANS * SITES];
};

static double uniform(void)
{
	return ((double)(random_next(&generator) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

/* The site that is delayed in each window; SITES: none. */
static void draw(const struct design *d, size_t *site)
{
	struct dither_plan p;
	unsigned drawn[SITES] = {0};

	dither_plan_begin(&p, d->share > 0 ? d->share : 0.05, random_next(&generator));
	p.depth = d->depth;
	p.block = (unsigned)lround(d->depth / d->share);
	for (size_t i = 0; i < WINDOWS; i++) {
		site[i] = SITES;
		if (d->share > 0 && dither_plan_next(&p)) {
			site[i] = dither_plan_site(&p, rate, drawn, SITES);
			drawn[site[i]]++;
		}
	}
}

static void simulate(const struct design *d, struct run *r)
{
	size_t site[WINDOWS];
	double noise = normal(), ahead = uniform(); /* spans begin later than windows */

	memset(r, 0, sizeof(*r));
	draw(d, site);
	for (size_t i = 0; i < d->spans; i++) {
		double from = SPAN_S * ((double)i + ahead), to = from + SPAN_S;
		struct site_costs_span *s = &r->span[i];

		*s = (struct site_costs_span){.from = from, .to = to, .length = SPAN_S};
		for (size_t w = (size_t)(from / d->window_s); (double)w * d->window_s < to; w++)
			if (w < WINDOWS && site[w] < SITES)
				r->drawn[i * SITES + site[w]] +=
					fmax(0, fmin(to, d->window_s * ((double)w + d->depth)) -
							fmax(from, d->window_s * (double)w));
		noise = AGAIN * noise + sqrt(1 - AGAIN * AGAIN) * normal();
		s->y[0] = 0.004 * SPAN_S + NOISE * noise;
		for (size_t k = 0; k < SITES; k++) {
			double calls = rate[k] * (SPAN_S - r->drawn[i * SITES + k]);

			calls = floor(calls * (1 + SWAY * normal()) + uniform());
			r->calls[i * SITES + k] = calls;
			s->y[0] += cost[k] * calls;
		}
		s->y[1] = s->y[0];
	}
}

static void study(const struct design *d, unsigned times)
{
	static struct run r;
	const struct displacement_value sure = {0, 0, 1};
	double error[SITES] = {0}, low, high, covered = 0, known = 0;

	random_seed(&generator, 17);
	for (unsigned i = 0; i < times; i++) {
		struct site_costs_series series = {r.span, r.calls, d->spans, {0, 0, 1}};
		struct site_costs_site with[SITES];
		struct site_costs out;

		simulate(d, &r);
		if (site_costs_fit(&series, 1, SITES, sure, &out, with))
			exit(1);
		for (size_t k = 0; k < SITES; k++) {
			if (with[k].state != SITE_COSTS_OK || with[0].group == with[1].group)
				continue;
			known++;
			error[k] += with[k].cost[0].error * with[k].cost[0].error;
			displacement_limits(with[k].cost[0], 0.95, &low, &high);
			covered += low <= cost[k] && cost[k] <= high;
		}
	}
	printf("%5.0f s %5.0f %% %8.0f %% %8.0f ms %9.0f %% %9.0f ns %9.0f ns %8.3f\n",
	       SPAN_S * (double)d->spans, 100 * d->share, 100 * d->depth, 1e3 * d->window_s,
	       100 * known / times / SITES, 1e9 * sqrt(error[0] * SITES / known),
	       1e9 * sqrt(error[1] * SITES / known), covered / known);
}

int main(int argc, char **argv)
{
	const double depths[] = {0.1, 0.25, 0.5, 1}, windows[] = {0.04, 0.08, 0.12, 0.24};
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 400;

	printf("%7s %7s %10s %11s %11s %12s %12s %8s\n", "run", "loss", "held up", "window",
	       "told apart", "error, 800 ns", "1800 ns", "covered");
	study(&(struct design){0, 0, 0.08, SPANS}, times);
	for (size_t i = 0; i < 4; i++)
		study(&(struct design){0.05, depths[i], 0.08, SPANS}, times);
	for (size_t i = 0; i < 4; i++)
		study(&(struct design){0.05, 0.25, windows[i], SPANS}, times);
	for (double share = 0.01; share < 0.3; share *= 5)
		study(&(struct design){share, 0.25, 0.08, SPANS}, times);
	/* windows a site: the run's seconds / 1.6 */
	for (size_t spans = 94; spans < SPANS; spans += 94)
		study(&(struct design){0.05, 0.25, 0.08, spans}, times);
	return 0;
}
