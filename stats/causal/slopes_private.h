// SPDX-License-Identifier: GPL-3.0-or-later
/* The estimating equations of slopes.h for any columns: what a unit takes, y, on drawn quantities.
 *
 *      y[w] = n[w] (base[block of w] + sum over k of coefficient[k] x[w][k]) + e[w]        (1)
 *      sum over w of weight[w] z[w][k] e[w] = 0,  z = x less its weighted mean in the block (2)
 *      sum over w in a block of weight[w] e[w] = 0                                          (3)
 *
 * (3) is solved for the bases and taken out of (2): y and n x less n times their ratios to n in the
 * block. What is left is one system of as many equations as columns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/causal/slopes.h"

/* Windows in order. start[] holds the first window of each block; start[blocks] = windows. */
struct slopes_system {
	size_t windows, blocks;
	const size_t *start;
	const double *n, *weight;
};

struct slopes_estimate {
	size_t columns;
	double *coefficient; /* [columns]; 0 for dropped columns; the others are behind it */
	bool *dropped;	     /* true: the other columns explain this column completely */
	/* [windows][columns]: change of the coefficient per unit of e[w], divided by 1 minus the
	 * leverage of the window (HC3). */
	double *influence;
	double *residual; /* [windows]: e */
};

/* Fits columns x [windows][columns]. Returns 0; -1: no memory. With too few windows each column is
 * fitted alone: draws are independent, so the others only add to its noise. */
int slopes_system_fit(const struct slopes_system *s, const double *x, size_t columns,
		      const double *y, struct slopes_estimate *out);
void slopes_system_free(struct slopes_estimate *e);

/* influence[w] += sum over k of c[k] x influence[w] of coefficient k. */
void slopes_system_influence(const struct slopes_system *s, const struct slopes_estimate *e,
			     const double *c, double *influence);

/* Error and degrees of freedom of a value that changes by influence[w] when e[w] grows by 1.
 * `residual` is e; the fit used up `spent` degrees of freedom. */
struct slopes_value slopes_system_error(double value, const double *influence,
					const double *residual, size_t windows, size_t spent);
/* Two-sided p-value of v under the hypothesis that it is 0; NAN: unknown. */
double slopes_system_p(struct slopes_value v);
/* Weights that reduce outlying windows (Huber 1964): min(1, 3 / |residual in deviations|). */
void slopes_system_weights(const double *residual, const double *y, size_t windows, double *weight,
			   double *room);
/* Error and degrees of freedom of the mean of an ordered series. The long-run variance is from the
 * first cosines (Lazarus, Lewis, Stock and Watson 2018, eqs. 4 and 10). */
void slopes_system_mean(const double *series, size_t windows, double *error, double *freedom);

/* Data shared by the files of a fit: the usable windows, the columns, the first fits. */

struct slopes_run {
	const struct slopes_data *d;
	struct slopes_system system;
	size_t columns; /* sites with a column */
	size_t *of;	/* [windows]: index in d->window */
	size_t *site;	/* [columns]: index of the site */
	size_t *start;
	double *n, *weight, *time, *latency; /* [windows] */
	double *x;			     /* [windows][columns] */
	double *before;			     /* [windows][columns]: x of the previous window */
	double *room, *residual;	     /* [windows] */
	bool latencies;			     /* all windows have a latency */
	bool carry;
	size_t carrier; /* the site whose delays carry over most surely */
	struct slopes_estimate fit, carried;
};

static inline double slopes_run_value(const struct slopes_run *r, size_t column)
{
	return r->fit.coefficient[column] + (r->carry ? r->carried.coefficient[column] : 0);
}

/* In slopes_system.c: slope of a column; its influences are left in r->room. */
struct slopes_value slopes_run_slope(struct slopes_run *r, size_t column);

/* In slopes_shape.c: low, high and shape from the levels of a site. r->fit is the fit of the times.
 * Returns 0; -1: no memory. */
int slopes_shape_fit(struct slopes_run *r, double q, struct slopes_site *site);
/* The same for latencies: sets latency_bend. */
int slopes_shape_latency(struct slopes_run *r, struct slopes_site *site);

/* In slopes_shape.c: others_slower, interacts, bend and shape from pairs of sites. r->fit is the
 * fit of the times. Returns 0; -1: no memory. */
int slopes_shape_fit_pairs(struct slopes_run *r, double q, struct slopes_site *site);
