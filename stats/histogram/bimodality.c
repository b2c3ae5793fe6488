// SPDX-License-Identifier: GPL-3.0-or-later
/* Do the durations have one mode, or two?
 *
 * A mean of two different things (hit and miss, ready and waiting) is neither's. The search looks
 * for the most significant valley of density on the scale of log duration. Buckets are not equally
 * wide there (an eighth of an octave on average, but 0.17 at its beginning and 0.09 at its end), so
 * counts are always relative to widths. */
#include <math.h>

#include "stats/histogram/histogram.h"

/* Width of a peak in buckets; a valley is at least as wide. */
#define WINDOW 3
/* Valleys are tried up to so many buckets wide: a factor of 256. */
#define WIDEST	    64
#define DEPTH	    0.5
#define SIGNIFICANT 5.0
#define LEAST_SHARE 0.01
#define LEAST_CALLS 20.0

/* Sums over all buckets before the i-th. */
struct cells {
	uint32_t count; /* number of buckets in use; leading empty buckets are left out */
	uint32_t first;
	double calls[STATS_HIST_BUCKETS + 1];
	double width[STATS_HIST_BUCKETS + 1]; /* octaves */
};

/* Value 0 lies an octave below 1. */
static double octaves(uint32_t bucket)
{
	return bucket ? log2(histogram_start(bucket + 1) / histogram_start(bucket)) : 1;
}

static void cells_of(const uint64_t *count, uint32_t buckets, struct cells *c)
{
	uint32_t used = histogram_used(count, buckets);

	c->first = 0;
	while (c->first < used && !count[c->first])
		c->first++;
	c->count = used - c->first;
	c->calls[0] = c->width[0] = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		c->calls[i + 1] = c->calls[i] + (double)count[c->first + i];
		c->width[i + 1] = c->width[i] + octaves(c->first + i);
	}
}

struct window {
	double calls, width;
};

/* [from, to), cut to the buckets in use: a peak at the edge keeps its density. */
static struct window window_of(const struct cells *c, int64_t from, int64_t to)
{
	uint32_t a = (uint32_t)(from < 0 ? 0 : from);
	uint32_t b = (uint32_t)(to > c->count ? c->count : to);

	return (struct window){c->calls[b] - c->calls[a], c->width[b] - c->width[a]};
}

static double density(struct window w)
{
	return w.calls / w.width;
}

/* Difference of two counts in standard errors, if both have the same density: signed root of the
 * likelihood ratio, positive if the valley is less dense. */
static double significance(struct window peak, struct window valley)
{
	double both = peak.calls + valley.calls, width = peak.width + valley.width;
	double log_ratio = peak.calls * log(peak.calls * width / (both * peak.width));

	if (density(valley) >= density(peak))
		return 0;
	if (valley.calls > 0)
		log_ratio += valley.calls * log(valley.calls * width / (both * valley.width));
	return sqrt(fmax(0, 2 * log_ratio));
}

struct valley {
	uint32_t from, to;
	double significance;
};

/* The densest window that ends by `i`, and the densest that begins at `i` or later. */
struct peaks {
	struct window before[STATS_HIST_BUCKETS + 1], after[STATS_HIST_BUCKETS + 1];
};

static void find_peaks(const struct cells *c, struct peaks *p)
{
	p->before[0] = p->after[c->count] = (struct window){0, 1};
	for (uint32_t i = 1; i <= c->count; i++) {
		struct window w = window_of(c, (int64_t)i - WINDOW, i);

		p->before[i] = density(w) > density(p->before[i - 1]) ? w : p->before[i - 1];
	}
	for (uint32_t i = c->count; i-- > 0;) {
		struct window w = window_of(c, i, (int64_t)i + WINDOW);

		p->after[i] = density(w) > density(p->after[i + 1]) ? w : p->after[i + 1];
	}
}

static bool parts_enough(const struct cells *c, uint32_t from, uint32_t to)
{
	double all = c->calls[c->count], least = fmax(LEAST_CALLS, LEAST_SHARE * all);

	return c->calls[from] >= least && all - c->calls[to] >= least;
}

static struct valley deepest(const struct cells *c, const struct peaks *p, double resolution)
{
	struct valley best = {0, 0, 0};

	for (uint32_t from = 1; from + WINDOW < c->count; from++)
		for (uint32_t to = from + WINDOW; to < c->count && to <= from + WIDEST; to++) {
			struct window valley = window_of(c, from, to), peak = p->before[from];

			if (density(p->after[to]) < density(peak))
				peak = p->after[to];
			if (density(valley) > DEPTH * density(peak) || !parts_enough(c, from, to) ||
			    histogram_start(c->first + to) - histogram_start(c->first + from) <
				    2 * resolution)
				continue;
			double z = significance(peak, valley);
			if (z > best.significance)
				best = (struct valley){from, to, z};
		}
	return best;
}

static double time_of(const uint64_t *count, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += (double)count[i] * (histogram_start(i) + histogram_start(i + 1)) / 2;
	return sum;
}

struct bimodality bimodality_find(const uint64_t *count, uint32_t buckets, double resolution)
{
	struct bimodality m = {false, {NAN, NAN}, {1, 0}, {1, 0}};
	struct cells c;
	struct peaks p;

	cells_of(count, buckets, &c);
	if (c.count < WINDOW + 2)
		return m;
	find_peaks(&c, &p);
	struct valley v = deepest(&c, &p, resolution);
	if (v.significance < SIGNIFICANT)
		return m;
	uint32_t part = (v.from + v.to) / 2;
	m.two = true;
	m.share[0] = c.calls[part] / c.calls[c.count];
	m.share[1] = 1 - m.share[0];
	m.center[0] = histogram_quantile(count, buckets, m.share[0] / 2);
	m.center[1] = histogram_quantile(count, buckets, m.share[0] + m.share[1] / 2);
	double all = time_of(count, 0, c.first + c.count);
	m.time[0] = time_of(count, 0, c.first + part) / all;
	m.time[1] = 1 - m.time[0];
	return m;
}
