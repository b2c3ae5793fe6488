// SPDX-License-Identifier: GPL-3.0-or-later
/* Is what came first different from the rest?
 *
 * Truncation rules such as White's MSER (1997) always find something to cut; here a cut must be
 * real. Ranks decide about many batches that are a little off; they cannot about one that is far
 * off, because one of n batches is always the largest: there distance decides, with room for heavy
 * tails. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/stationarity/warmup.h"
#include "stats/histogram/histogram.h"
#include "stats/stationarity/rank_series.h"

#define LEAST_BATCHES 32
#define LEAST_CALLS   100
#define LEAST_FACTOR  3
#define LEAST_RUN     8 /* for 64 batches; and for fewer, down to 32 */
#define RUN_DISTANCE  16
/* Correlation of neighbours in standard errors: 10 %, one-sided. */
#define DEPENDS 1.28
/* Share of the distance to the first part, if the rest is dependent. Chosen with half of the laws
 * of tests/bench/warmup_laws.c. */
#define PART_OF_THE_WAY (1 / 3.0)
/* 1 / (false alarms * others), to the power 1 / (exponent of the tail). */
#define OTHERS 400.0
#define TAIL   1.5

/* Quantile at 0.5 % of |statistic| of the best split of `n` values in their first half,
 * by 200 000 simulated series for each n of 16 to 64; right to 0.05. */
static double critical(unsigned n)
{
	return 3.55 - 12.0 / n;
}

struct range {
	double low, middle, high;
};

static struct range range_of(const double *x, unsigned count)
{
	double sorted[SERIES_MOST];

	memcpy(sorted, x, count * sizeof *x);
	gsl_sort(sorted, 1, count);
	return (struct range){sorted[0], (sorted[(count - 1) / 2] + sorted[count / 2]) / 2,
			      sorted[count - 1]};
}

/* Signed distance from the middle, divided by that of the farthest value of the range. */
static double distance(const struct range *r, double x)
{
	double width = fmax(r->high - r->middle, r->middle - r->low);

	return width > 0 ? (x - r->middle) / width : 0;
}

/* Does the first value lie among the values from `from` on? */
static bool lies_among(const struct series *s, unsigned from)
{
	bool above = false, below = false;

	for (unsigned i = from; i < s->count && !(above && below); i++) {
		above = above || s->x[i] >= s->x[0];
		below = below || s->x[i] <= s->x[0];
	}
	return above && below;
}

/* So many leading values lie clear of those from `others` on, all to one side. */
static unsigned clear_of(const struct series *s, unsigned from, unsigned most)
{
	unsigned others = s->count - from, k = 0;

	if (lies_among(s, from)) /* for most sites: nothing to sort */
		return 0;

	struct range r = range_of(s->x + from, others);
	double far = fmax(LEAST_FACTOR, pow(OTHERS / others, 1 / TAIL));
	double side = copysign(1, distance(&r, s->x[0]));

	while (k < most && side * distance(&r, s->x[k]) > far)
		k++;
	return k;
}

/* If the first of many values is outside of the range of the second half, all others outside of it
 * on the same side count, too: a decay reaches the rest slowly. */
static unsigned decay(const struct series *s)
{
	unsigned half = s->count / 2, k = 0;
	struct range r = range_of(s->x + half, s->count - half);
	double side = copysign(1, distance(&r, s->x[0]));

	while (k < half && side * distance(&r, s->x[k]) > 1)
		k++;
	return k;
}

static unsigned far_apart(const struct series *s)
{
	for (unsigned k = 1; k <= s->count / 8; k++)
		if (clear_of(s, k, k) == k)
			return k;
	return clear_of(s, s->count / 2, 1) ? decay(s) : 0;
}

/* Leading values so far outside of the range of half of the second half that one such value is rare
 * even for a heavy tail, and LEAST_RUN in a row are impossible. One far value in the second half
 * extends its range, but hides nothing here. */
static unsigned far_run(const struct series *s)
{
	unsigned half = s->count / 2, others = s->count - half, k = 0;
	double x[SERIES_MOST], middle, spread, side;

	memcpy(x, s->x + half, others * sizeof *x);
	middle = gsl_stats_median(x, 1, others);
	for (unsigned i = 0; i < others; i++)
		x[i] = fabs(s->x[half + i] - middle);
	spread = gsl_stats_median(x, 1, others);
	if (!(spread > 0) || s->count < 2 * SERIES_LEAST_TO_SPLIT)
		return 0;
	side = copysign(1, s->x[0] - middle);
	while (k < half && side * (s->x[k] - middle) > RUN_DISTANCE * spread)
		k++;
	return 64 * k >= LEAST_RUN * s->count ? k : 0;
}

/* A straight line that fits better is drift; so is a split after the middle. */
static unsigned shifted(const struct series *s)
{
	if (!rank_series_can_split(s))
		return 0;
	struct series_split front = rank_series_split(s, 1, s->count / 2);
	struct series_split any = rank_series_split(s, 1, s->count - 1);
	if (any.at > s->count / 2 || rank_series_line(s).left < front.left)
		return 0;
	if (fabs(front.statistic) / front.inflation <= critical(s->count))
		return 0;
	return front.at;
}

/* Do neighbours among these resemble each other? */
static bool depends(const double *x, unsigned count)
{
	return gsl_stats_lag1_autocorrelation(x, 1, count) > DEPENDS / sqrt(count);
}

/* The largest deviation, to one side, of a mean of `length` consecutive values from x[from] on. */
static double farthest(const double *x, unsigned count, unsigned from, unsigned length, double side)
{
	double most = -INFINITY;

	for (unsigned i = from; i + length <= count; i++)
		most = fmax(most, side * gsl_stats_mean(x + i, 1, length));
	return most;
}

/* Does the rest contain a stretch at `part` of the distance to the first `k`, and at least as long
 * as they, or an eighth of all? */
static bool has_such(const double *x, unsigned count, unsigned k, double part)
{
	double later[SERIES_MOST], middle, away, side;
	unsigned length = 8 * k > count ? count / 8 : k;

	memcpy(later, x + k, (count - k) * sizeof *x);
	middle = gsl_stats_median(later, 1, count - k);
	away = gsl_stats_mean(x, 1, k) - middle;
	side = copysign(1, away);
	return farthest(x, count, k, length, side) - side * middle > part * fabs(away);
}

/* What came first and comes back later is no warm-up: the program has such spells. Where calls
 * depend on one another the spells differ, and a later one need not be as long, or as far off, as
 * the first was. Heavy tails hide spells in the values, and a few levels hide them in the ranks: it
 * must be seen in both. */
static bool comes_back(const struct stats_batches *b, const struct series *s, unsigned k)
{
	struct stats_batches later = {b->calls, b->count - k * s->each, b->sum + k * s->each};
	struct series rest = rank_series_of(&later, 0);
	double part = depends(rest.x, rest.count) || depends(rest.score, rest.count)
			      ? PART_OF_THE_WAY
			      : 1;

	return has_such(s->x, s->count, k, part) && has_such(s->score, s->count, k, part);
}

static double mean_of(const struct stats_batches *b, unsigned from, unsigned to)
{
	stats_u128 sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += b->sum[i];
	return (double)((long double)sum / ((long double)b->calls * (to - from)));
}

static unsigned batches_aside(const struct stats_batches *b)
{
	struct series s = rank_series_of(b, 0);
	unsigned k = far_apart(&s) ?: far_run(&s) ?: shifted(&s);

	return k && comes_back(b, &s, k) ? 0 : k * s.each;
}

struct warmup warmup_find(const struct stats_batches *b)
{
	struct warmup w = {0, NAN, NAN, NAN};

	if (b->count >= LEAST_BATCHES && b->calls * b->count >= LEAST_CALLS)
		w.batches = batches_aside(b);
	if (b->count && b->calls)
		w.mean_rest = mean_of(b, w.batches, b->count);
	if (w.batches) {
		w.mean_aside = mean_of(b, 0, w.batches);
		w.ratio = w.mean_rest > 0 ? w.mean_aside / w.mean_rest : NAN;
	}
	return w;
}

void warmup_widen(struct mean_interval *e, double moves)
{
	double by = e->mean * moves;

	if (!isfinite(by))
		return;
	e->low = fmax(0, e->low + fmin(by, 0));
	e->high += fmax(by, 0);
}

struct first_call warmup_first(uint64_t first_units, uint64_t calls, uint64_t units,
			       const uint64_t *count, uint32_t buckets)
{
	struct first_call f = {NAN, NAN};
	uint32_t bucket = histogram_bucket(first_units);
	uint32_t used = count ? histogram_used(count, buckets) : 0;
	double total = histogram_calls(count, 0, used);

	if (calls > 1 && units > first_units)
		f.ratio =
			(double)first_units / ((double)(units - first_units) / (double)(calls - 1));
	if (total > 0)
		f.share = fmax(histogram_calls(count, bucket, used), 1) / total;
	return f;
}
