// SPDX-License-Identifier: GPL-3.0-or-later
/* Dither of a measurement by displacement: calls at sites are delayed in windows drawn at random
 * (site_dither.c), by the page of include/scprof_causal.h, so that sites whose rates are constant,
 * or vary together, vary apart.
 *
 * The measuring thread's ticks draw the windows; a tick that comes late ends no budget: a thread is
 * delayed for no longer than the plan's limit in a window, and nobody is once a window is over by
 * SITE_DITHER_LATE_S. One thread. Seconds; instants as displacement_window.at. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "stats/numerics/random.h"

#define SITE_DITHER_SITES  16 /* are delayed: those with the most calls first */
#define SITE_DITHER_FIRST  4  /* so many, and one more when these have windows enough */
#define SITE_DITHER_LATE_S 0.05

struct site_dither;

/* `page`: path of the page's file. `share`: see dither_plan_begin. NULL and *err on failure. */
struct site_dither *site_dither_open(const char *page, double share, uint64_t seed,
				     struct profile_error *err);
void site_dither_close(struct site_dither *d);

/* At each tick of the run: the next window, when it is time. */
void site_dither_tick(struct site_dither *d, double at);
/* No more delays; the next tick is the last that matters. */
void site_dither_stop(struct site_dither *d);

/* The command has ended: removes the page, keeps what was drawn. */
void site_dither_end(struct site_dither *d);

/* CPU time of delays since the last time it was asked, all threads together. */
double site_dither_spun(struct site_dither *d);

/* After the run. Was a site held up in [from, to), or so shortly before that the effect may last
 * on, whose windows are too few (DITHER_PLAN_ENOUGH) to tell anything? */
bool site_dither_tells_nothing(const struct site_dither *d, double from, double to);

struct site_dither_told {
	size_t windows; /* with a delay */
	size_t sites;	/* that were delayed */
	size_t few;	/* of them, in fewer than DITHER_PLAN_ENOUGH windows, which are left out */
	double spun;	/* seconds of CPU time, all threads together */
	/* By how much fewer calls the site made that lost most, by its calls a second in the
	 * windows without a delay; 0.05: 5 % fewer. */
	double slower;
	const char *refused; /* as causal_page_refused: nothing was delayed from then on */
};
struct site_dither_told site_dither_tell(const struct site_dither *d);

/* The plan of a dithered run: its windows with a delay, the site, and the length.
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
 * One site at a time: what varies then is its rate alone. Simulated
 * (bench/dither_design.c): half of a window in ten gives 0.84 of the error of a quarter in five,
 * but it is the longer standstill, and with few windows its intervals are too short.
 *
 * Pure but for the generator's state. */

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

/* Returns the site among n that it is at: of those with calls enough, one of those that were drawn
 * least; n: none. `rate`: calls a second without delays. */
size_t dither_plan_site(struct dither_plan *p, const double *rate, const unsigned *drawn, size_t n);

/* The delay of a call in seconds: DITHER_PLAN_PIECES of them and a rest are the limit. */
double dither_plan_delay(const struct dither_plan *p);

/* A thread is delayed in a window for no longer than this. */
double dither_plan_limit(const struct dither_plan *p);
