// SPDX-License-Identifier: GPL-3.0-or-later
/* Buckets and quantiles of a log-linear histogram: a quantile is right to 1/8 of its value at
 * worst, usually much better by the interpolation inside the bucket. And its long calls: outliers,
 * and how heavy the tail is (Hill's estimator on binned data: a call is taken to have the geometric
 * middle of its bucket). */
#include <math.h>

#include "stats/histogram/histogram.h"
#include "stats/histogram/tail.h"

#define SHIFT_MOST 60 /* of a number up to 15 in 64 bits */

double histogram_start(uint32_t i)
{
	uint32_t shift = i / 8 - 1;

	if (i < 8)
		return i;
	return shift <= SHIFT_MOST ? (double)((uint64_t)(8 + i % 8) << shift)
				   : ldexp(8 + i % 8, (int)shift);
}

uint32_t histogram_bucket(uint64_t value)
{
	if (value < 8)
		return (uint32_t)value;
	uint32_t e = 63 - (uint32_t)__builtin_clzll(value);
	return (e - 2) * 8 + (uint32_t)((value >> (e - 3)) & 7);
}

/* Most histograms end far below their last bucket: several at a time. */
uint32_t histogram_used(const uint64_t *count, uint32_t buckets)
{
	while (buckets >= 4) {
		const uint64_t *last = count + buckets - 4;

		if (last[0] | last[1] | last[2] | last[3])
			break;
		buckets -= 4;
	}
	while (buckets && !count[buckets - 1])
		buckets--;
	return buckets;
}

double histogram_calls(const uint64_t *count, uint32_t from, uint32_t to)
{
	double calls = 0;

	for (uint32_t i = from; i < to; i++)
		if (count[i]) /* most are empty */
			calls += (double)count[i];
	return calls;
}

double histogram_quantile(const uint64_t *count, uint32_t buckets, double q)
{
	uint32_t used = histogram_used(count, buckets), last = used - 1;
	double total = histogram_calls(count, 0, used), before = 0, rank;

	if (total == 0 || isnan(q))
		return NAN;
	rank = fmin(fmax(q, 0), 1) * total;
	for (uint32_t i = 0; i < last; i++) {
		double c = (double)count[i];

		if (!count[i])
			continue;
		if (before + c >= rank) {
			double start = histogram_start(i);

			return start + (histogram_start(i + 1) - start) * (rank - before) / c;
		}
		before += c;
	}
	return histogram_start(last) + (histogram_start(last + 1) - histogram_start(last)) *
					       fmin((rank - before) / (double)count[last], 1);
}

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
	uint32_t used = histogram_used(count, buckets);
	double total = histogram_calls(count, 0, used), others = 0, known = 0, fence;

	if (total < LEAST_CALLS)
		return o;
	fence = fence_of(count, used);
	while (i < buckets && histogram_start(i) < fence) {
		if (i < used && count[i])
			others += (double)count[i] * middle_of(i);
		i++;
	}
	o.fence = fmax(fence, histogram_start(i));
	for (; i < used; i++) {
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
struct stats_tail_index tail_index_estimate(const uint64_t *count, uint32_t buckets, double tick)
{
	uint32_t used = histogram_used(count, buckets);
	double calls = histogram_calls(count, 0, used), wanted = sqrt(calls);
	struct stats_tail_index best, fewer;

	if (!(calls >= LEAST_FOR_TAIL))
		return (struct stats_tail_index){0, 0};
	best = hill(count, used, tick, wanted);
	for (wanted /= FEWER; best.calls > 0 && wanted >= LEAST_BEYOND; wanted /= FEWER) {
		fewer = hill(count, used, tick, wanted);
		if (fewer.inverse <
		    best.inverse * (1 - LIGHTER * sqrt(1 / fewer.calls - 1 / best.calls)))
			best = fewer;
	}
	return best;
}
