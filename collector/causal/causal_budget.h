// SPDX-License-Identifier: GPL-3.0-or-later
/* How long the delays may be. A site whose calls are delayed by m on average, over all windows,
 * makes a unit of progress longer by slope x m. Nobody knows the slopes before, so one that is not
 * measured yet is taken to be about the number of calls a unit, give or take as much: all on one
 * path. What was measured is joined to that as normal distributions are (precisions add up). The
 * limit is on the upper end of what all delays together cost.
 *
 * It uses the past alone, so that draws stay independent of what they are to explain. Pure. */
#ifndef SCPROF_COLLECTOR_CAUSAL_CAUSAL_BUDGET_H
#define SCPROF_COLLECTOR_CAUSAL_CAUSAL_BUDGET_H

#include <stddef.h>

#include "stats/causal/slopes.h"

/* What surrounds a spin is not counted, about 5 ns: a fiftieth of this. Longer delays in fewer
 * windows cost no more, and tell more. */
#define CAUSAL_BUDGET_SHORTEST_S 300e-9
#define CAUSAL_BUDGET_ACTIVE	 0.5	    /* share of the windows in which a site is delayed */
#define CAUSAL_BUDGET_LEAST	 (1.0 / 16) /* fewer tell nothing: the site is left out */

struct causal_budget_site {
	double was;	     /* out: its mean delay until now; 0: none */
	double calls_s;	     /* a second */
	double call_s;	     /* mean duration; 0: not known */
	double slope, error; /* NAN: not measured */
	double high;	     /* in and out: the higher delay, seconds; in 0: none so far */
	double active;	     /* out: the share of windows with a delay: half of them the higher one;
				0: cannot be delayed by so little */
};

struct causal_budget {
	double slowdown;	   /* asked, 0.05 */
	double unit_s;		   /* time a unit takes */
	double longest_s;	   /* no delay is longer */
	double part;		   /* of the slowdown that may be used: a half at first, then 1 */
	struct slopes_value whole; /* measured slowdown so far; value NAN: none */
};

/* The delays of the next windows. */
void causal_budget_set(const struct causal_budget *b, struct causal_budget_site *site,
		       size_t sites);

/* What all of them are expected to cost at most, relative: 95 of 100. */
double causal_budget_upper(const struct causal_budget *b, const struct causal_budget_site *site,
			   size_t sites);

/* How long a thread may be delayed in one window, as a share of it. */
double causal_budget_limit(const struct causal_budget *b);

#endif
