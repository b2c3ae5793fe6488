// SPDX-License-Identifier: GPL-3.0-or-later
/* What the histogram of a site's durations shows: percentiles with limits, bimodality, outliers.
 *
 * Histograms are log-linear as in scprof_format.h: eight buckets an octave, so a duration is known
 * to 1/8 at worst. Durations are in clock units; `buckets` is at most STATS_HIST_BUCKETS. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STATS_HIST_BUCKETS 512

/* The smallest value in a bucket; also the end of the previous bucket. */
double histogram_start(uint32_t bucket);

/* The bucket that a value lies in. */
uint32_t histogram_bucket(uint64_t value);

/* How many buckets there are up to the last one that has calls. */
uint32_t histogram_used(const uint64_t *count, uint32_t buckets);

/* How many calls are in the buckets `from` to `to` - 1. */
double histogram_calls(const uint64_t *count, uint32_t from, uint32_t to);

/* Value at probability q, in units, by linear interpolation in the bucket. NAN if it is empty. */
double histogram_quantile(const uint64_t *count, uint32_t buckets, double q);

/* Limits of the true percentile `q` (in (0, 1)), distribution-free: the order statistics whose
 * ranks enclose a binomial count of calls below the percentile (David and Nagaraja 2003, "Order
 * Statistics", section 7.1), equal tails, so that coverage is at least `confidence`. Each limit is
 * the outer edge of its bucket, because nothing finer is known: the interval is never narrower than
 * a bucket. n dependent calls count as n / design_effect independent ones (1: independent; NAN or
 * less than 1 counts as 1). Where too few calls lie beyond the percentile to bound it, `low` is 0
 * or `high` INFINITY; both NAN if the histogram is empty. */
struct stats_hist_limits {
	double low, high;
};
struct stats_hist_limits tail_order_limits(const uint64_t *count, uint32_t buckets, double q,
					   double design_effect, double confidence);

/* Two groups of durations, separated by a valley. */
struct bimodality {
	bool two;
	double center[2]; /* median of the shorter and of the longer durations; NAN if one mode */
	double share[2];  /* shares of the calls; 1 and 0 if one mode */
	double time[2];	  /* shares of the time, accurate to 1/16 */
};

/* A valley counts if, on the scale of log duration, it is at most half as dense as the lower of the
 * peaks on either side, is so by 5 standard errors (signed root of the likelihood ratio of the two
 * counts), is three buckets wide or more (a factor of 1.3) and twice the clock's resolution, and
 * separates at least 1 % of the calls and 20 of them. Two groups whose durations differ by less
 * than a factor of 1.5, or that overlap so that no valley is left, are one. At most 1 in 100
 * single-peaked distributions is called two (simulated: normal, uniform, exponential, lognormal,
 * log-uniform; 100 to 100 000 calls). `resolution`: one tick of the clock in units. */
struct bimodality bimodality_find(const uint64_t *count, uint32_t buckets, double resolution);

/* Outliers: listed, never left out of a mean. */
struct outliers {
	double fence;	    /* minimum duration of an outlier; INFINITY: fewer than 20 calls */
	double calls;	    /* number of outliers */
	double share_calls; /* of all calls */
	double units;	    /* their total time, accurate to 1/16 of it or of the others' time */
	double share_units; /* of `units` */
};

/* The fence is Tukey's outer one on the scale of log duration, p75 (p75 / p25)^3, and not below ten
 * medians; it is then raised to the next edge of a bucket. Log duration, because durations are
 * skewed: of any lognormal distribution, however wide, 1.2 calls in a million lie beyond, of an
 * exponential one practically none; what lies beyond follows another law (an interrupt, a page
 * fault, a lost packet) or a tail so heavy that its calls make the mean. Ten medians, because among
 * nearly constant durations even 20 % more would be an outlier, but is harmless. `units` and
 * `longest`: the exact sum and maximum over all calls. */
struct outliers outliers_find(const uint64_t *count, uint32_t buckets, uint64_t units,
			      uint64_t longest);
