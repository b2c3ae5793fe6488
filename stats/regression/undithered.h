// SPDX-License-Identifier: GPL-3.0-or-later
/* What a run would have told without its dither: a series less what drawn delays explain of it.
 *
 * Calls and costs of the spans are regressed on the time that each span had of each drawn delay,
 * and what that explains is taken away, in calls and costs alike. By Frisch and Waugh (1933) and
 * Lovell (1963) a fit of what is left uses only the variation that the program had of itself: its
 * coefficients are those of a regression with the draws as further columns. Delays are drawn
 * independently of all else, so this is the same program in the same hour without them.
 *
 * Seconds. Pure but for memory. */
#ifndef SCPROF_STATS_REGRESSION_UNDITHERED_H
#define SCPROF_STATS_REGRESSION_UNDITHERED_H

#include "stats/regression/site_costs.h"

/* `drawn` [spans][draws]: seconds of each span in which each delay was in effect; SITE_COSTS_MOST
 * draws at most, of which a short series takes the first alone. *out is to be freed with
 * undithered_free. 0; -1: no memory. */
int undithered_make(const struct site_costs_series *s, size_t sites, const double *drawn,
		    size_t draws, struct site_costs_series *out);
void undithered_free(struct site_costs_series *s);

/* Has site k a number that no other site shares: is it told apart? */
bool undithered_apart(const struct site_costs_site *site, size_t sites, size_t k);

struct undithered_gain {
	size_t steady, inseparable; /* told apart now, but not without the dither: why not */
	size_t lost;		    /* the other way around: told apart only without */
	/* Median over the sites told apart both ways of the standard error of UNCHARGED without
	 * the dither by that with it; NAN: there are none. */
	double narrower;
};
struct undithered_gain undithered_compare(const struct site_costs_site *with,
					  const struct site_costs_site *without, size_t sites);

#endif
