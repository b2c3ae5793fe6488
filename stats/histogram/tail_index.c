// SPDX-License-Identifier: GPL-3.0-or-later
/* Hill's estimator on binned data: a call is taken to have the geometric middle of its bucket. */
#include <math.h>
#include <stdbool.h>

#include "stats/histogram/histogram.h"
#include "stats/histogram/tail_index.h"

#define LEAST_CALLS 30
/* Below, buckets are wider than an eighth of an octave, and below so many ticks a call's tick count
 * is not its duration. */
#define LEAST_TICKS 8
/* Thresholds are tried that leave a fourth, a sixteenth, ... of the longest calls, down to so many.
 */
#define FEWER	     4
#define LEAST_BEYOND 8
/* Standard errors by which it must be lighter: in 1 of 700 if it is by chance. */
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

/* Of one tail of this kind the difference has the variance of the shorter part less that of the
 * whole. */
static bool is_lighter(const struct stats_tail_index *fewer, const struct stats_tail_index *all)
{
	double error = all->inverse * sqrt(1 / fewer->calls - 1 / all->calls);

	return fewer->inverse < all->inverse - LIGHTER * error;
}

struct stats_tail_index tail_index_estimate(const uint64_t *count, uint32_t buckets, double tick)
{
	double calls = calls_of(count, buckets), wanted = sqrt(calls);
	struct stats_tail_index best, fewer;

	if (!(calls >= LEAST_CALLS))
		return (struct stats_tail_index){0, 0};
	best = hill(count, buckets, tick, wanted);
	for (wanted /= FEWER; best.calls > 0 && wanted >= LEAST_BEYOND; wanted /= FEWER) {
		fewer = hill(count, buckets, tick, wanted);
		if (is_lighter(&fewer, &best))
			best = fewer;
	}
	return best;
}
