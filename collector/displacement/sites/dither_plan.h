// SPDX-License-Identifier: GPL-3.0-or-later
/* Which windows of a dithered run have a delay, at which site, and how long it is.
 *
 * The variance of a site's rate grows with the square of what a delay takes from it, the cost with
 * its first power: so delays are long and seldom. In one window of each block, at a place drawn
 * anew, one site is delayed so that half of its calls are missing (less, where the share of the
 * throughput is such that a block of whole windows would cost more); in the others none is. Slowed
 * down by half in one window of ten, a program loses 5 %, even where all of its threads wait for
 * the one that is delayed. One site at a time: then what a delay does to each site's rate is one
 * number, and a regression on the drawn windows takes all of it away
 * (stats/regression/undithered.h).
 *
 * Simulated (bench/dither_design.c), half of the calls gone in one window of ten give half of the
 * error of a tenth gone in every second one; windows of two spans, the least error.
 *
 * Pure but for the generator's state. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_SITES_DITHER_PLAN_H
#define SCPROF_COLLECTOR_DISPLACEMENT_SITES_DITHER_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/numerics/random.h"

#define DITHER_PLAN_WINDOW_S 0.08 /* two spans of the regression */
#define DITHER_PLAN_ENOUGH   8	  /* windows with a delay: with fewer, intervals are too short */
#define DITHER_PLAN_LEAST    0.005
#define DITHER_PLAN_MOST     0.25
#define DITHER_PLAN_RATE     50.0 /* calls a second: a rarer site hardly varies in a span */

struct dither_plan {
	struct random random;
	unsigned block, at, on; /* windows a block; the next one; the delayed one */
	double depth;		/* share of a delayed site's calls that go missing */
};

/* `share`: of the throughput that may be lost, DITHER_PLAN_LEAST to DITHER_PLAN_MOST. */
void dither_plan_begin(struct dither_plan *p, double share, uint64_t seed);

/* Is the next window one with a delay? */
bool dither_plan_next(struct dither_plan *p);

/* Which of n sites it is at: of those with calls enough, one of those that were drawn least; n:
 * none. `rate`: calls a second without delays. */
size_t dither_plan_site(struct dither_plan *p, const double *rate, const unsigned *drawn, size_t n);

/* The delay of a call in seconds, where `rate` calls a second are made without. */
double dither_plan_delay(const struct dither_plan *p, double rate);

/* A thread is delayed in a window for no longer than this. */
double dither_plan_limit(const struct dither_plan *p);

#endif
