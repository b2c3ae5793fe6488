// SPDX-License-Identifier: GPL-3.0-or-later
/* A site's outliers: their number and time. */
#include <math.h>

#include "stats/histogram/histogram.h"
#include "stats/stats.h"

/* The quartiles of fewer calls are too uncertain. */
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
		if (i == top) { /* one of them is known */
			known = (double)longest;
			o.units += known - middle_of(i);
		}
	}
	/* So is the sum of all: only the part that takes less time need be as uncertain as the
	 * buckets' width. */
	if (o.calls > 0 && others < o.units - known)
		o.units = fmax(known, (double)units - others);
	o.units = fmin(o.units, (double)units);
	o.share_calls = o.calls / total;
	o.share_units = units ? o.units / (double)units : 0;
	return o;
}
