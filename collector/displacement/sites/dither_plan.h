// SPDX-License-Identifier: GPL-3.0-or-later
/* Which windows of a dithered run have a delay, at which site, and how long it is.
 *
 * The variance of a site's rate grows with the square of what delays take from it, their price with
 * the first power: so they are long and seldom. In one window of each block, at a place drawn anew,
 * each thread that comes by one site is held up there for a quarter of the window (less, where the
 * share of the throughput does not divide into whole windows; more, where that is above 12.5 %),
 * and in the others none is. A program that stands still for a quarter of one window in five loses
 * 5 %, even where all of its threads wait for the one that is held up. In few and long delays, for
 * calls that come in bursts must go on to do so: packets that come one by one cost many times as
 * much as packets in bursts.
 *
 * One site at a time: then what delays do to each site's rate is one number, and a regression on
 * the drawn windows takes all of it away (stats/regression/site_costs.h). Simulated
 * (bench/dither_design.c): half of a window in ten gives 0.84 of the error of a quarter in five,
 * but it is the longer standstill, and with few windows its intervals are too short.
 *
 * Pure but for the generator's state. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_SITES_DITHER_PLAN_H
#define SCPROF_COLLECTOR_DISPLACEMENT_SITES_DITHER_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/numerics/random.h"

#define DITHER_PLAN_WINDOW_S 0.08 /* two spans of the regression */
#define DITHER_PLAN_ENOUGH   8	  /* windows with a delay: with fewer, intervals are too short */
#define DITHER_PLAN_PIECES   5
#define DITHER_PLAN_LEAST    0.005
#define DITHER_PLAN_MOST     0.25
#define DITHER_PLAN_RATE     50.0 /* calls a second: a rarer site hardly varies in a span */

struct dither_plan {
	struct random random;
	unsigned block, at, on; /* windows a block; the next one; the delayed one */
	double depth;		/* share of a window for which threads are held up */
};

/* `share`: of the throughput that may be lost, DITHER_PLAN_LEAST to DITHER_PLAN_MOST. */
void dither_plan_begin(struct dither_plan *p, double share, uint64_t seed);

/* Is the next window one with a delay? */
bool dither_plan_next(struct dither_plan *p);

/* Which of n sites it is at: of those with calls enough, one of those that were drawn least; n:
 * none. `rate`: calls a second without delays. */
size_t dither_plan_site(struct dither_plan *p, const double *rate, const unsigned *drawn, size_t n);

/* The delay of a call in seconds: DITHER_PLAN_PIECES of them and a rest are the limit. */
double dither_plan_delay(const struct dither_plan *p);

/* A thread is delayed in a window for no longer than this. */
double dither_plan_limit(const struct dither_plan *p);

#endif
