// SPDX-License-Identifier: GPL-3.0-or-later
/* The estimating equations of slopes.h for any columns: what a unit takes, y, on drawn quantities.
 *
 *      y[w] = n[w] (base[block of w] + sum over k of coefficient[k] x[w][k]) + e[w]        (1)
 *      sum over w of weight[w] z[w][k] e[w] = 0,  z = x less its weighted mean in the block (2)
 *      sum over w in a block of weight[w] e[w] = 0                                          (3)
 *
 * (3) is solved for the bases and taken out of (2): y and n x less n times their ratios to n in the
 * block. What is left is one system of as many equations as columns. One column, `alone`, may be
 * taken as it is and not times n: a covariate. */
#ifndef SCPROF_STATS_CAUSAL_SLOPES_PRIVATE_H
#define SCPROF_STATS_CAUSAL_SLOPES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/causal/slopes.h"

/* Windows in order, and the blocks' first ones: start[blocks] = windows. */
struct slopes_system {
	size_t windows, blocks;
	const size_t *start;
	const double *n, *weight;
};

struct slopes_estimate {
	size_t columns;
	double *coefficient; /* [columns]; 0 where dropped */
	bool *dropped;	     /* nothing is left of the column beside the others */
	/* [windows][columns]: by how much one more in e[w] changes the coefficient, divided by one
	 * less the window's leverage (HC3). */
	double *influence;
	double *residual; /* [windows]: e */
};

/* Columns x [windows][columns]. 0; -1: no memory. With too few windows for so many columns, each
 * is fitted alone: draws are independent, so that the others only add to its noise. */
int slopes_system_fit(const struct slopes_system *s, const double *x, size_t columns, size_t alone,
		      const double *y, struct slopes_estimate *out);
void slopes_system_free(struct slopes_estimate *e);

/* influence[w] += sum over k of c[k] x that of coefficient k. */
void slopes_system_influence(const struct slopes_system *s, const struct slopes_estimate *e,
			     const double *c, double *influence);

/* Error of a value that changes by influence[w] when e[w] grows by one, e being
 * `residual`, and its degrees of freedom, of which the fit spent `spent`. */
struct slopes_value slopes_system_error(double value, const double *influence,
					const double *residual, size_t windows, size_t spent);
/* Two-sided p of a value this far from 0; NAN: not known. */
double slopes_system_p(struct slopes_value v);
/* p of all coefficients being 0: Wald's statistic, distributed like Hotelling's. NAN: no memory. */
double slopes_system_joint_p(const struct slopes_system *s, const struct slopes_estimate *e);
/* Weights that take windows far off down (Huber 1964): min(1, 3 / |residual in deviations|). */
void slopes_system_weights(const double *residual, const double *y, size_t windows, double *weight,
			   double *room);
/* Error and freedom of the mean of a series in order: its long-run variance by the first cosines
 * (Lazarus, Lewis, Stock and Watson 2018, eqs. 4 and 10). */
void slopes_system_mean(const double *series, size_t windows, double *error, double *freedom);

/* What the files of a fit share: the windows that can be used, the columns, the first fits. */

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

/* In slopes_shape.c: what pairs of sites say: others_slower, interacts, bend, shape; of latencies
 * latency_bend. r->fit is of the times, or of the latencies. 0; -1: no memory. */
int slopes_shape_fit_pairs(struct slopes_run *r, double q, struct slopes_site *site);
int slopes_shape_latency_pairs(struct slopes_run *r, double q, struct slopes_site *site);

#endif
