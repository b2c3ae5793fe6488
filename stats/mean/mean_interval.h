// SPDX-License-Identifier: GPL-3.0-or-later
/* The interval of the mean of a call's duration, on any clock.
 *
 * Notation of Beilner, "Measuring with Slow Clocks" (1988): n calls, tick interval d, tick counts
 * C_i; the estimator of a mean duration is d * sum C_i / n (eq. 6), unbiased for any d. */
#pragma once

#include <math.h>

#include "stats/stats.h"

/* Reasons why an interval may not cover the mean: see docs/coverage.md. */
enum stats_unreliable {
	STATS_SYNCHRONOUS = 1,	   /* "clock-synchronous": calls begin at preferred phases */
	STATS_FEW_INDEPENDENT = 2, /* "too-few-independent-batches" */
	STATS_HEAVY_TAIL = 4	   /* "heavy-tail": a few calls determine the mean */
};
/* Fewer calls, without batches and phases, can show none of these problems. */
#define STATS_RELIABLE_CALLS 8
/* Fewer calls (batches of under 64 pairs) cannot show their dependence: bursts and slow phases look
 * like different durations. */
#define STATS_FEW_CALLS 128

/* A mean and its interval, in the unit of its sums: nanoseconds in reports. There `low` may be
 * below 0, once the overhead is subtracted; both limits are NAN or infinite where the interval is
 * unknown. */
struct mean_interval {
	double mean, low, high;
	const char *method; /* static text: "clopper-pearson", "t", "batch-t", "none" */
	double error;	    /* standard error of the mean, dependence included; INFINITY: unknown */
	double freedom;	    /* degrees of freedom of `error` */
	double design_effect; /* variance of the mean over that of independent calls, or NAN */
	unsigned unreliable;  /* enum stats_unreliable, or-ed */
};

/* Limits that come of no rule: "none", and the error is unknown. */
static inline struct mean_interval mean_interval_within(double mean, double low, double high)
{
	return (struct mean_interval){mean, low, high, "none", INFINITY, 0, NAN, 0};
}

/* Mean and interval of durations on any clock. The one rule, chosen by simulation
 * (docs/coverage.md):
 *   "clopper-pearson"  fewer than 100 effective ticks, most calls without one: exact
 *                      binomial limits on effective counts (Korn and Graubard 1998).
 *                      Where all calls show the same count, the truth may lie on
 *                      either side of it.
 *   "batch-t"          Student's t on the error between batches, which includes the
 *                      dependence of calls; contiguous calls, whose batches exchange
 *                      ticks, by Beilner's (10c).
 *   "t"                too few batches, and no sign of dependence: Student's t on the
 *                      calls' own variance, not taken below the d^2/4 of (10b) where the
 *                      mean is 16 ticks or more.
 *   "none"             no call: NANs. One call of a fast clock: 0 to infinity.
 * Unbatched calls add their scatter beyond what batches predict, stretch by stretch: in
 * design_effect, error and freedom. Intervals by t are moved towards a long tail (Johnson 1978);
 * where the variance looks infinite, the upper limit grows with the tail index `tail`.
 * Nothing is subtracted for overhead here. Needs up to about 2 kB of stack. */
struct mean_interval mean_interval_estimate(const struct stats_sample *s, double confidence);
