// SPDX-License-Identifier: GPL-3.0-or-later
/* What a call at each site costs, by regression: what a fluid lost in short spans of time,
 * on how many calls each site made in them.
 *
 *      y = intercept x (length - unexposed) + sum over sites of cost x calls + noise
 *
 * Several series (the fluid of each CPU, the program's own clock), each with spans of its own that
 * need not agree with the others', each have a part of y: every one is fitted alone, by least
 * squares weighted by 1 / length (interrupts come like a Poisson process: the variance grows with
 * the length), and a site's cost is the sum of its coefficients. The intercept is what belongs to
 * no call. Nothing is clamped: a cost near 0 is estimated below 0 half of the time.
 *
 * Errors. Neighbouring spans are alike (a program has phases, a host other tasks), and the noise
 * grows with the load. So each span's influence on the summed coefficient (its residual, divided by
 * one less its leverage, as HC3 does: MacKinnon and White 1985) is projected on the first B cosines
 * over the spans in the order of time, whichever series they are of; the mean square of the B
 * projections is the long-run variance, with B - 1 degrees of freedom of Student's t (B in the
 * source; the slow columns of a short run take one, and with it 50 spans cover as they should):
 * equal-weighted cosine ("EWC", Lazarus, Lewis, Stock and Watson 2018, "HAR Inference:
 * Recommendations for Practice", J. Business & Economic Statistics 36:541, eqs. 4 and 10, B = 0.4
 * N^(2/3)). Chosen over Newey and West, whose intervals are too short in the samples that a run of
 * seconds gives, and over a block jackknife, which needs series that are cut at the same instants.
 *
 * Collinear sites. Where one site's calls follow from the others' (variance inflation above
 * SITE_COSTS_INFLATION, or nothing left of them but a call or so a span, which is a call in
 * progress at the edge), no data can say whose the cost is. They form a group and share one cost a
 * call: the mean over their calls.
 *
 * Seconds. Pure functions but for memory, which is allocated and freed inside.
 */
#ifndef SCPROF_STATS_REGRESSION_SITE_COSTS_H
#define SCPROF_STATS_REGRESSION_SITE_COSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/displacement/displacement.h"

#define SITE_COSTS_INFLATION 100.0
#define SITE_COSTS_MOST	     32	 /* sites in one regression */
#define SITE_COSTS_ROOM	     256 /* sites to choose them from */
#define SITE_COSTS_SPANS     24	 /* each series needs so many, and 6 a coefficient */
#define SITE_COSTS_ACTIVE    8	 /* a site must have calls in so many spans of each series */

/* UNCHARGED: unaccounted time. TRUE: with what the program was charged. */
enum site_costs_of { SITE_COSTS_UNCHARGED, SITE_COSTS_TRUE, SITE_COSTS_KINDS };

struct site_costs_span {
	double from, to; /* when, on a clock that all series share */
	/* How long. Where only a share of the time could be seen, that share of it, and so of the
	 * calls: then the results are per call and second all the same, if the work falls into seen
	 * and unseen time alike. */
	double length;
	double y[SITE_COSTS_KINDS];
	/* Of the length, what no work that belongs to no call could fall into. */
	double unexposed;
	/* What y was corrected by, times something known only with an error: `charged` x the
	 * series' rest is subtracted from both, `switches` x the cost of one from UNCHARGED. */
	double charged, switches;
};

struct site_costs_series {
	const struct site_costs_span *span; /* in the order of time */
	const double *calls;		    /* [spans][sites] */
	size_t spans;
	struct displacement_value rest; /* its error counts, and its freedom */
};

enum site_costs_state {
	SITE_COSTS_OK,
	SITE_COSTS_RARE,   /* calls in too few spans */
	SITE_COSTS_STEADY, /* its calls do not vary: collinear with the intercept */
	SITE_COSTS_FEW	   /* too few spans for so many sites */
};

struct site_costs_site {
	enum site_costs_state state;
	size_t group;	  /* sites of one group share one cost */
	double inflation; /* of its variance by the other sites (VIF) */
	struct displacement_value cost[SITE_COSTS_KINDS]; /* NAN unless OK */
};

struct site_costs {
	size_t coefficients;				       /* groups with a number */
	size_t spans;					       /* of the series with the fewest */
	struct displacement_value intercept[SITE_COSTS_KINDS]; /* a second of time */
};

/* `site` [sites], SITE_COSTS_ROOM at most: the first are the ones that matter most, should
 * there be too many. 0; -1: no memory. */
int site_costs_fit(const struct site_costs_series *series, size_t count, size_t sites,
		   struct displacement_value switching, struct site_costs *out,
		   struct site_costs_site *site);

/* Probability of a cost as far from 0 as this, if it were 0; NAN: not known. */
double site_costs_p(struct displacement_value cost);

/* In collinearity.c: which of the columns whose cross products (intercept taken out, `spans` spans
 * in all) are in `product` [n][n] are collinear. group[i] becomes the lowest index of i's group,
 * `inflation` the group's. Those that are `steady` are left out. `room`: 2 n n numbers. */
void collinearity_find(const double *product, size_t n, double spans, const bool *steady,
		       size_t *group, double *inflation, double *room);

/* In collinearity.c: inverse of a symmetric positive matrix [n][n], in place, by way of its
 * correlations; columns that the ones before explain to within 1e-10 get zeros. */
void collinearity_invert(double *a, size_t n);

/* What a run would have told without its dither: a series less what drawn delays explain of it.
 *
 * Calls and costs of the spans are regressed on the time that each span had of each drawn delay,
 * and what that explains is taken away, in calls and costs alike. By Frisch and Waugh (1933) and
 * Lovell (1963) a fit of what is left uses only the variation that the program had of itself: its
 * coefficients are those of a regression with the draws as further columns. Delays are drawn
 * independently of all else, so this is the same program in the same hour without them.
 *
 * Seconds. Pure but for memory. */

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
