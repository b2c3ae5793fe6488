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
#ifndef SCPROF_STATS_CAUSAL_SLOPES_SYSTEM_H
#define SCPROF_STATS_CAUSAL_SLOPES_SYSTEM_H

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

/* In slopes_errors.c. Error of a value that changes by influence[w] when e[w] grows by one, e being
 * `residual`, and its degrees of freedom, of which the fit spent `spent`. */
struct slopes_value slopes_errors_of(double value, const double *influence, const double *residual,
				     size_t windows, size_t spent);
/* Two-sided p of a value this far from 0; NAN: not known. */
double slopes_errors_p(struct slopes_value v);
/* p of all coefficients being 0: Wald's statistic, distributed like Hotelling's. NAN: no memory. */
double slopes_errors_joint_p(const struct slopes_system *s, const struct slopes_estimate *e);
/* Weights that take windows far off down (Huber 1964): min(1, 3 / |residual in deviations|). */
void slopes_errors_weights(const double *residual, const double *y, size_t windows, double *weight,
			   double *room);
/* Error and freedom of the mean of a series in order: its long-run variance by the first cosines
 * (Lazarus, Lewis, Stock and Watson 2018, eqs. 4 and 10). */
void slopes_errors_mean(const double *series, size_t windows, double *error, double *freedom);

/* In slopes_inverse.c: inverse of a [n][n], in place, by sweeps (Goodnight 1979); columns that
 * those before explain get zeros and `dropped`. */
void slopes_inverse(double *a, size_t n, bool *dropped);

#endif
