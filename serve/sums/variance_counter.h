// SPDX-License-Identifier: GPL-3.0-or-later
/* The variance of a sum of durations, dependence between calls included, as a number that only
 * grows: what it grew by over any window is the variance of the time that was added in that window.
 *
 * Calls in a row are not independent, so their squares alone do not tell. What happened between
 * two readings is a batch, whose sum holds all dependence that is shorter than it. How far a batch
 * with n calls and sum s lies from what the batches before it foretold, m n, is its recursive
 * residual (Brown, Durbin and Evans 1975, J. R. Stat. Soc. B 37, eq. 2): with m of variance
 * u per call's variance, (s - m n)^2 / (1 + n u) has the variance of s as its mean. m forgets: a
 * batch counts for half after 14 more, so that a mean which moves over hours is not taken for
 * scatter.
 *
 * Unlike the recorder's batches, which grow with the run, these are of the window at hand.
 * Variances of independent sums add up: over processes, hosts and windows. Pure. */
#ifndef SCPROF_SERVE_SUMS_VARIANCE_COUNTER_H
#define SCPROF_SERVE_SUMS_VARIANCE_COUNTER_H

#include <stdbool.h>

/* Zeros: nothing is known yet. Any unit of time. */
struct spread {
	double calls, time; /* of the batches before, forgotten by and by */
	double noise;	    /* variance of `time`, in units of a call's */
	double waiting;	    /* calls of batches that nothing foretold */
	double variance;    /* of all time that was added: only grows */
	double batches;	    /* that it was made from: its degrees of freedom, about */
};

/* One more batch; of no calls, nothing happens. */
void variance_counter_add(struct spread *s, double calls, double time);

#endif
