// SPDX-License-Identifier: GPL-3.0-or-later
/* Dither of a measurement by displacement: calls at sites are delayed in windows drawn at random
 * (dither_plan.h), by the page of include/scprof_causal.h, so that sites whose rates are constant,
 * or vary together, vary apart.
 *
 * The measuring thread's ticks draw the windows; a tick that comes late ends no budget: a thread is
 * delayed for no longer than the plan's limit in a window, and nobody is once a window is over by
 * SITE_DITHER_LATE_S. One thread. Seconds; instants as displacement_window.at. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_DITHER_H
#define SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_DITHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

#define SITE_DITHER_SITES  16 /* are delayed: those with the most calls first */
#define SITE_DITHER_FIRST  4  /* so many, and one more when these have windows enough */
#define SITE_DITHER_DRAWS  (2 * SITE_DITHER_SITES)
#define SITE_DITHER_LATE_S 0.05

struct site_dither;

/* `page`: path of the page's file. `share`: dither_plan.h. NULL and *err on failure. */
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

/* After the run. Draws: for each site when threads were held up, and then, as the effect may
 * outlast that, the rest of the window and the next one. Those in [from, to):
 * out[site_dither_draws]. */
size_t site_dither_draws(const struct site_dither *d);
/* Had draw k windows enough (DITHER_PLAN_ENOUGH) to tell anything? */
bool site_dither_enough(const struct site_dither *d, size_t k);
void site_dither_drawn(const struct site_dither *d, double from, double to, double *out);

struct site_dither_told {
	size_t windows; /* with a delay */
	size_t sites;	/* that were delayed */
	size_t few;	/* of them, in fewer than DITHER_PLAN_ENOUGH windows */
	double spun;	/* seconds of CPU time, all threads together */
	/* By how much fewer calls the site made that lost most, by its calls a second in the
	 * windows without a delay; 0.05: 5 % fewer. */
	double slower;
	const char *refused; /* as causal_page_refused: nothing was delayed from then on */
};
struct site_dither_told site_dither_tell(const struct site_dither *d);

#endif
