// SPDX-License-Identifier: GPL-3.0-or-later
/* Does a site's mean change, slowly or at once? */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/stationarity/warmup.h"
#include "stats/stationarity/rank_series.h"

#define LEAST_BATCHES 8
/* Each of the two tests gets half of 1 %. */
#define LEVEL 0.005
/* Minimum number of batches at one level. */
#define LEAST_LEVEL 2

/* Median of the slopes of all pairs (Sen 1968). */
static double sen_slope(const struct series *s)
{
	double slope[SERIES_MOST * (SERIES_MOST - 1) / 2];
	unsigned pairs = 0;

	for (unsigned i = 0; i < s->count; i++)
		for (unsigned k = i + 1; k < s->count; k++)
			slope[pairs++] = (s->x[k] - s->x[i]) / (k - i);
	return gsl_stats_median(slope, 1, pairs);
}

static void by_trend(const struct series *s, struct drift *d)
{
	double slope = sen_slope(s), rest[SERIES_MOST];

	for (unsigned i = 0; i < s->count; i++)
		rest[i] = s->x[i] - slope * i;
	d->kind = STATS_TREND;
	d->begin = gsl_stats_median(rest, 1, s->count);
	d->end = d->begin + slope * (s->count - 1);
}

static void by_step(const struct series *s, unsigned at, struct drift *d)
{
	d->kind = STATS_STEP;
	d->begin = d->end = 0;
	for (unsigned i = 0; i < s->count; i++) {
		if (i < at)
			d->begin += s->x[i] / at;
		else
			d->end += s->x[i] / (s->count - at);
	}
}

struct drift drift_find(const struct stats_batches *b, unsigned skip)
{
	struct drift d = {STATS_STEADY, NAN, NAN, NAN, 0};
	struct series s = rank_series_of(b, skip);

	if (s.count < LEAST_BATCHES)
		return d;
	struct series_line line = rank_series_line(&s);
	struct series_split step = rank_series_split(&s, LEAST_LEVEL, s.count - LEAST_LEVEL);
	bool moves = 2 * gsl_cdf_ugaussian_Q(fabs(line.statistic) / line.inflation) < LEVEL;
	/* Quantile at 0.5 % of |statistic| of the best split of n values with 2 at least on each
	 * side, by simulation as in warmup.c. */
	bool steps = rank_series_can_split(&s) &&
		     fabs(step.statistic) / step.inflation > 3.72 - 13.0 / s.count;
	if (steps && (!moves || step.left < line.left)) {
		by_step(&s, step.at, &d);
		d.at = skip + step.at * s.each;
	} else if (moves) {
		by_trend(&s, &d);
	} else {
		by_step(&s, s.count / 2, &d);
		d.kind = STATS_STEADY;
	}
	d.change = d.begin > 0 ? d.end / d.begin - 1 : NAN;
	return d;
}
