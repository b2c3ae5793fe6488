// SPDX-License-Identifier: GPL-3.0-or-later
/* How far calls beyond a percentile depend on each other.
 *
 * Long calls come in bursts: while a machine is busy, one call above the 99th percentile brings
 * others. Their number in a run then scatters more than that of independent calls, and limits by
 * order statistics must allow for it. What is needed is the dependence of being beyond a duration,
 * not that of the durations: the two differ widely in both directions. */
#pragma once

#include <stdint.h>

#include "stats/histogram/histogram.h"
#include "stats/stats.h"

#define STATS_TAIL_OCTAVES 15

/* Calls by octaves of their duration (eight buckets of the histogram), in slots: equally long runs
 * of consecutive calls, oldest first. The first octave holds the shorter calls, too, and the last
 * the longer ones. Only slots whose counts add up to `calls` count; the others are not known. */
struct stats_tail {
	uint64_t calls;		 /* in a slot */
	uint32_t count;		 /* slots, at most 64; 0: nothing is known */
	uint32_t first, octaves; /* the first octave, as bucket / 8; number of octaves */
	const uint32_t (*slot)[STATS_TAIL_OCTAVES];
};

struct tail_dependence {
	double design_effect; /* variance of the number of calls beyond over that of independent
				 calls, at least 1; NAN: not known */
	double freedom;	      /* degrees of freedom of design_effect */
	double independent;   /* equivalent number of independent slots */
};

/* Of the calls beyond percentile `q` (in (0, 1)) of the histogram `count` of all calls: the larger
 * one of those at the two octaves' bounds around it. The variance between slots, their serial
 * correlation included, over the binomial one: the design effect of a proportion in a cluster
 * sample (Kish 1965, "Survey Sampling", section 5.4), which is what limits of a percentile need
 * (Woodruff 1952, "Confidence intervals for medians and other position measures"). Unknown with
 * fewer than 32 known slots, or where they hold less than half of the calls. */
struct tail_dependence tail_dependence_find(const struct stats_tail *tail, const uint64_t *count,
					    uint32_t buckets, double q);

/* Reasons why limits of a percentile may not cover it. */
enum tail_unreliable {
	TAIL_UNKNOWN = 1,	 /* "unknown-dependence": too few calls to see it */
	TAIL_FEW_INDEPENDENT = 2 /* "too-few-independent-bursts" */
};

struct tail_limits {
	double low, high;     /* as in struct stats_hist_limits */
	double design_effect; /* the design effect used; at least 1 */
	unsigned unreliable;  /* enum tail_unreliable, or-ed */
};

/* Limits of the true percentile `q`: tail_order_limits with the dependence of the calls beyond
 * it, whose own uncertainty makes for fewer effective calls (Korn and Graubard 1998). `otherwise`:
 * the design effect where that dependence is not known (NAN: 1). */
struct tail_limits tail_limits_find(const struct stats_tail *tail, const uint64_t *count,
				    uint32_t buckets, double q, double otherwise,
				    double confidence);

/* How heavy the tail of durations is.
 *
 * If the chance of a call longer than x falls like x^-alpha, the k longest of n calls show alpha:
 * the logarithms of their durations over the shortest of them are exponential with mean 1 / alpha
 * (Hill 1975, "A simple general approach to inference about the tail of a distribution"). The
 * variance is infinite from 1 / alpha = 1/2 on, the mean from 1. */

/* Hill's estimate from a log-linear histogram of durations in units. k is the root of the number
 * of calls, and all others of the bucket in which the k-th longest lies: it must grow, and as a
 * share of the calls vanish (Embrechts, Klueppelberg and Mikosch 1997, "Modelling Extremal
 * Events", section 6.4). The standard error of 1 / alpha is 1 / (alpha root k).
 *
 * Where the k calls are of two kinds with a gap between them (calls that were held up, and others),
 * the gap looks like a heavy tail. So a fourth of k, a sixteenth, ... is taken instead where it
 * shows a lighter tail by three standard errors. {0, 0}: unknown,
 * with fewer than 30 calls or where the bucket is shorter than 8 units or `tick`. */
struct stats_tail_index tail_index_estimate(const uint64_t *count, uint32_t buckets, double tick);
