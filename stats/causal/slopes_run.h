// SPDX-License-Identifier: GPL-3.0-or-later
/* What the files of a fit share: the windows that can be used, the columns, the first fits. */
#ifndef SCPROF_STATS_CAUSAL_SLOPES_RUN_H
#define SCPROF_STATS_CAUSAL_SLOPES_RUN_H

#include "stats/causal/slopes_system.h"

struct slopes_run {
	const struct slopes_data *d;
	struct slopes_system system;
	size_t columns, covariate; /* sites with a column; the covariate's: columns, or SIZE_MAX */
	size_t width;		   /* of x: with the covariate */
	size_t *of;		   /* [windows]: which of d->window */
	size_t *site;		   /* [columns]: which site */
	size_t *start;
	double *n, *weight, *time, *latency; /* [windows] */
	double *x;			     /* [windows][width] */
	double *before;			     /* [windows][columns]: x of the window before */
	double *room, *residual;	     /* [windows] */
	bool latencies;			     /* all windows have one */
	bool carry;
	struct slopes_estimate fit, carried;
};

/* In slopes_run.c. 0; -1: no memory. slopes_run_end in any case. */
int slopes_run_begin(struct slopes_run *r, const struct slopes_data *d);
void slopes_run_end(struct slopes_run *r);
/* Fits y, twice: the second time with weights. The first fit of the times decides on carry. */
int slopes_run_fit(struct slopes_run *r, const double *y, double *carried);
/* A column's slope; its influences are left in r->room. */
struct slopes_value slopes_run_slope(struct slopes_run *r, size_t column);
/* y a unit without delays and disturbance, in windows by their weights; and what all delays add, as
 * a share of it. */
void slopes_run_unit(struct slopes_run *r, const double *y, struct slopes_value *unit,
		     struct slopes_value *share);

/* In slopes_shape.c: what the levels of a site say: low, high, shape. r->fit is of the times. 0;
 * -1: no memory. */
int slopes_shape_fit(struct slopes_run *r, double q, struct slopes_site *site);
/* The same of the latencies: latency_bend. */
int slopes_shape_latency(struct slopes_run *r, struct slopes_site *site);
/* Mean delay at each level of a column, by progress. */
void slopes_shape_delays(const struct slopes_run *r, size_t column, double mean[SLOPES_LEVELS]);

/* In slopes_pairs.c: what pairs of sites say: others_slower, interacts, bend, shape; of latencies
 * latency_bend. r->fit is of the times, or of the latencies. 0; -1: no memory. */
int slopes_pairs_fit(struct slopes_run *r, double q, struct slopes_site *site);
int slopes_pairs_latency(struct slopes_run *r, double q, struct slopes_site *site);

#endif
