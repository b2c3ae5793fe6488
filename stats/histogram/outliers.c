// SPDX-License-Identifier: GPL-3.0-or-later
/* The long calls of a site: outliers, their number and time, and how heavy the tail is (Hill's
 * estimator on binned data: a call is taken to have the geometric middle of its bucket). */
#include <math.h>

#include "stats/histogram/histogram.h"
#include "stats/histogram/tail.h"

/* Fewer calls make the quartiles too uncertain. */
#define LEAST_CALLS 20
#define MEDIANS	    10

static double fence_of(const uint64_t *count, uint32_t buckets)
{
	double low = fmax(1, histogram_quantile(count, buckets, 0.25));
	double middle = fmax(1, histogram_quantile(count, buckets, 0.5));
	double high = fmax(1, histogram_quantile(count, buckets, 0.75));

	return fmax(high * pow(high / low, 3), MEDIANS * middle);
}

static double middle_of(uint32_t bucket)
{
	return (histogram_start(bucket) + histogram_start(bucket + 1)) / 2;
}

struct outliers outliers_find(const uint64_t *count, uint32_t buckets, uint64_t units,
			      uint64_t longest)
{
	struct outliers o = {INFINITY, 0, 0, 0, 0};
	uint32_t top = histogram_bucket(longest), i = 0;
	double total = 0, others = 0, known = 0, fence;

	for (uint32_t k = 0; k < buckets; k++)
		total += (double)count[k];
	if (total < LEAST_CALLS)
		return o;
	fence = fence_of(count, buckets);
	while (i < buckets && histogram_start(i) < fence) {
		others += (double)count[i] * middle_of(i);
		i++;
	}
	o.fence = fmax(fence, histogram_start(i));
	for (; i < buckets; i++) {
		if (!count[i])
			continue;
		o.calls += (double)count[i];
		o.units += (double)count[i] * middle_of(i);
		if (i == top) { /* the exact duration of one of them is known */
			known = (double)longest;
			o.units += known - middle_of(i);
		}
	}
	/* The sum of all is known, too: only the smaller of the two parts has the uncertainty of
	 * the bucket width. */
	if (o.calls > 0 && others < o.units - known)
		o.units = fmax(known, (double)units - others);
	o.units = fmin(o.units, (double)units);
	o.share_calls = o.calls / total;
	o.share_units = units ? o.units / (double)units : 0;
	return o;
}

/* ---- the tail index ---- */

#define LEAST_FOR_TAIL 30
/* Below this, buckets are wider than an eighth of an octave; and in clock ticks, a call's tick
 * count differs too much from its duration. */
#define LEAST_TICKS 8
/* Tries thresholds that leave a fourth, a sixteenth, ... of the longest calls, down to this
 * number. */
#define FEWER	     4
#define LEAST_BEYOND 8
/* Number of standard errors by which the tail must be lighter: by chance once in 700. */
#define LIGHTER 3

static double calls_of(const uint64_t *count, uint32_t buckets)
{
	double calls = 0;

	for (uint32_t i = 0; i < buckets; i++)
		calls += (double)count[i];
	return calls;
}

/* Hill's estimate from the `wanted` longest. */
static struct stats_tail_index hill(const uint64_t *count, uint32_t buckets, double tick,
				    double wanted)
{
	double beyond = 0, logs = 0, start;
	uint32_t bucket = buckets;

	while (bucket > 0 && beyond < wanted) {
		bucket--;
		if (!count[bucket])
			continue;
		beyond += (double)count[bucket];
		logs += (double)count[bucket] *
			log(histogram_start(bucket) * histogram_start(bucket + 1)) / 2;
	}
	start = histogram_start(bucket);
	if (start < LEAST_TICKS * fmax(tick, 1))
		return (struct stats_tail_index){0, 0};
	return (struct stats_tail_index){logs / beyond - log(start), beyond};
}

/* If both belong to the same tail, the variance of the difference is that of the shorter part minus
 * that of the whole. */
static bool is_lighter(const struct stats_tail_index *fewer, const struct stats_tail_index *all)
{
	double error = all->inverse * sqrt(1 / fewer->calls - 1 / all->calls);

	return fewer->inverse < all->inverse - LIGHTER * error;
}

struct stats_tail_index tail_index_estimate(const uint64_t *count, uint32_t buckets, double tick)
{
	double calls = calls_of(count, buckets), wanted = sqrt(calls);
	struct stats_tail_index best, fewer;

	if (!(calls >= LEAST_FOR_TAIL))
		return (struct stats_tail_index){0, 0};
	best = hill(count, buckets, tick, wanted);
	for (wanted /= FEWER; best.calls > 0 && wanted >= LEAST_BEYOND; wanted /= FEWER) {
		fewer = hill(count, buckets, tick, wanted);
		if (is_lighter(&fewer, &best))
			best = fewer;
	}
	return best;
}
