// SPDX-License-Identifier: GPL-3.0-or-later
/* Hill's estimator on binned data: a call is taken to have the geometric middle of its bucket. */
#include <math.h>

#include "stats/histogram/histogram.h"
#include "stats/histogram/tail_index.h"

#define LEAST_CALLS 30
/* Below, buckets are wider than an eighth of an octave, and below so many ticks a call's tick count
 * is not its duration. */
#define LEAST_TICKS 8

static double calls_of(const uint64_t *count, uint32_t buckets)
{
	double calls = 0;

	for (uint32_t i = 0; i < buckets; i++)
		calls += (double)count[i];
	return calls;
}

struct stats_tail_index tail_index_estimate(const uint64_t *count, uint32_t buckets, double tick)
{
	double calls = calls_of(count, buckets), wanted = sqrt(calls), beyond = 0, logs = 0, start;
	uint32_t bucket = buckets;

	if (!(calls >= LEAST_CALLS))
		return (struct stats_tail_index){0, 0};
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
