// SPDX-License-Identifier: GPL-3.0-or-later
/* The cost of a call at each site: a regression of the time that a fluid lost in short spans on the
 * number of calls that each site made in them.
 *
 *      y = intercept x (length - unexposed) + sum over sites of cost x calls + noise
 *
 * Several series (the fluid of each CPU, the program's own clock), each with spans of its own that
 * need not agree with the others', each have a part of y: every one is fitted alone, by least
 * squares weighted by 1 / length (interrupts come like a Poisson process: the variance grows with
 * the length), and a site's cost is the sum of its coefficients. The intercept is the time that
 * belongs to no call. Nothing is clamped: a cost near 0 is estimated below 0 half of the time.
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
 * Collinear sites. If one site's calls follow from the others' (variance inflation above
 * SITE_COSTS_INFLATION, or nothing left of them but a call or so a span, which is a call in
 * progress at the edge), no data can tell their costs apart. They form a group and share one cost a
 * call: the mean over their calls.
 *
 * Seconds. Pure functions but for memory, which is allocated and freed inside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/displacement/displacement.h"

#define SITE_COSTS_INFLATION 100.0
#define SITE_COSTS_MOST	     32	 /* maximum number of sites in one regression */
#define SITE_COSTS_ROOM	     256 /* maximum number of sites to choose from */
#define SITE_COSTS_SPANS     24	 /* minimum number of spans per series; and 6 per coefficient */
#define SITE_COSTS_ACTIVE    8	 /* minimum number of spans of each series with calls of the site */

/* UNCHARGED: uncharged time. TRUE: that and the time charged to the program. */
enum site_costs_of { SITE_COSTS_UNCHARGED, SITE_COSTS_TRUE, SITE_COSTS_KINDS };

struct site_costs_span {
	double from, to; /* begin and end, on a clock that all series share */
	/* Duration. If only a share of the time was observed: that share of the duration, and so of
	 * the calls. The results per call and per second stay the same if the work falls equally
	 * into observed and unobserved time. */
	double length;
	double y[SITE_COSTS_KINDS];
	/* The part of `length` in which work that belongs to no call could not occur. */
	double unexposed;
	/* Corrections of y whose factor has an error: `charged` x the series' rest is subtracted
	 * from both kinds, `switches` x the cost of a switch from UNCHARGED. */
	double charged, switches;
};

struct site_costs_series {
	struct site_costs_span *span; /* in the order of time */
	double *calls;		      /* [spans][sites] */
	size_t spans;
	struct displacement_value rest; /* its error counts, and its freedom */
};

enum site_costs_state {
	SITE_COSTS_OK,
	SITE_COSTS_RARE,   /* the site has calls in too few spans */
	SITE_COSTS_STEADY, /* its number of calls does not vary: collinear with the intercept */
	SITE_COSTS_FEW	   /* too few spans for so many sites */
};

struct site_costs_site {
	enum site_costs_state state;
	size_t group;	  /* sites of one group share one cost */
	double inflation; /* inflation of its variance by the other sites (VIF) */
	struct displacement_value cost[SITE_COSTS_KINDS]; /* NAN unless OK */
};

struct site_costs {
	size_t coefficients;				       /* number of groups with a cost */
	size_t spans;					       /* of the series with the fewest */
	struct displacement_value intercept[SITE_COSTS_KINDS]; /* per second of time */
};

/* `site` [sites]: at most SITE_COSTS_ROOM; the most important sites come first, in case there are
 * too many. Returns 0; -1: no memory. */
int site_costs_fit(const struct site_costs_series *series, size_t count, size_t sites,
		   struct displacement_value switching, struct site_costs *out,
		   struct site_costs_site *site);

/* p-value of this cost under the hypothesis that it is 0; NAN: unknown. */
double site_costs_p(struct displacement_value cost);

/* In collinearity.c: finds collinear columns from the cross products `product` [n][n] (intercept
 * removed, `spans` spans in all). group[i] becomes the lowest index in i's group, `inflation` that
 * of the group. Skips `steady` columns. `room`: space for 2 n n numbers. */
void collinearity_find(const double *product, size_t n, double spans, const bool *steady,
		       size_t *group, double *inflation, double *room);

/* In collinearity.c: inverts a [n][n] in place by sweeps (Goodnight 1979), once its columns have
 * been scaled. Columns that previous ones explain to within 1e-10, and those that are `out` before,
 * get zeros, and are `out`. */
void collinearity_sweep(double *a, size_t n, bool *out);

/* In collinearity.c: inverts a symmetric positive matrix [n][n] in place via its correlations.
 * Columns that previous columns explain to within 1e-10 get zeros. */
void collinearity_invert(double *a, size_t n);
