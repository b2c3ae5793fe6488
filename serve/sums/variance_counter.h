// SPDX-License-Identifier: GPL-3.0-or-later
/* The variance of a sum of durations, with the dependence between calls, as a counter that never
 * decreases: its increase over any window is the variance of the time added in that window.
 *
 * Consecutive calls are not independent, so their squares alone are not enough. What happens
 * between two readings is a batch, whose sum contains all dependence shorter than it. The
 * distance of a batch with n calls and sum s from m n, the prediction of earlier batches, is its
 * recursive residual (Brown, Durbin and Evans 1975, J. R. Stat. Soc. B 37, eq. 2): with u the
 * variance of m in units of a call's, (s - m n)^2 / (1 + n u) has the variance of s as its mean.
 * m forgets: the weight of a batch halves within 14 more, so that a mean that drifts over hours
 * does not count as variance.
 *
 * Unlike the library's batches, which grow with the run, these are of the window. Variances of
 * independent sums add up: over processes, hosts and windows. Pure functions. */
#ifndef SCPROF_SERVE_SUMS_VARIANCE_COUNTER_H
#define SCPROF_SERVE_SUMS_VARIANCE_COUNTER_H

#include <stdbool.h>

/* Zeros: nothing is known yet. Any unit of time. */
struct variance_counter {
	double calls, time; /* of earlier batches, with decreasing weights */
	double noise;	    /* variance of `time`, in units of a call's */
	double waiting;	    /* calls of batches without a prediction */
	double variance;    /* of all time that was added: never decreases */
	double batches;	    /* that it was made from: its degrees of freedom, about */
};

/* One more batch; of no calls, nothing happens. */
void variance_counter_add(struct variance_counter *s, double calls, double time);

#endif
