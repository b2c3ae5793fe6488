// SPDX-License-Identifier: GPL-3.0-or-later
/* Ranks of batches, and what serial dependence does to tests on them.
 *
 * A statistic of independent values is divided by sqrt((1 + r) / (1 - r)), the factor by which
 * first-order correlation r changes the error of a mean. r is that of the residuals of a fitted
 * alternative, or every real change would look like correlation; the fit itself lowers it, the more
 * the shorter the series, which is corrected. */
#include <math.h>

#include <gsl/gsl_cdf.h>

#include "stats/stationarity/rank_series.h"

/* By simulation: with these, series of 16 to 64 values with serial correlation 0.5 stay within the
 * false-alarm rates of warmup.h. The bias of r around a mean is -(1 + 3 r) / n (Kendall 1954). */
#define SPLIT_BIAS	 5
#define LINE_BIAS	 5
#define MOST_CORRELATION 0.95

static unsigned equal(const struct series *s, double to)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->count; i++)
		n += s->x[i] == to;
	return n;
}

/* The majority value remains when unequal pairs are removed (Boyer and Moore 1981). */
static bool mostly_equal(const struct series *s)
{
	double left = NAN;
	unsigned votes = 0;

	for (unsigned i = 0; i < s->count; i++) {
		if (!votes)
			left = s->x[i];
		votes += s->x[i] == left ? 1 : -1u;
	}
	return 2 * equal(s, left) > s->count;
}

static void standardise(double *x, unsigned count, bool flat)
{
	double mean = 0, square = 0;

	for (unsigned i = 0; i < count; i++)
		mean += x[i] / count;
	for (unsigned i = 0; i < count; i++) {
		x[i] -= mean;
		square += x[i] * x[i];
	}
	for (unsigned i = 0; i < count; i++)
		x[i] = flat ? 0 : x[i] / sqrt(square / (count - 1)); /* not what rounding left */
}

static void set_scores(struct series *s)
{
	bool flat = equal(s, s->x[0]) == s->count;
	unsigned twice[SERIES_MOST]; /* the rank: 1 + smaller ones + half of the others that are
					equal */

	for (unsigned i = 0; i < s->count; i++) {
		twice[i] = 2;
		for (unsigned k = 0; k < i; k++) {
			unsigned smaller = s->x[k]<s->x[i], larger = s->x[k]> s->x[i];

			twice[i] += 1 + smaller - larger;
			twice[k] += 1 + larger - smaller;
		}
	}
	for (unsigned i = 0; i < s->count; i++) {
		s->rank[i] = twice[i] / 2.0;
		s->score[i] = gsl_cdf_ugaussian_Pinv((s->rank[i] - 0.375) / (s->count + 0.25));
	}
	standardise(s->score, s->count, flat);
	standardise(s->rank, s->count, flat);
}

struct series rank_series_of(const struct stats_batches *b, unsigned skip)
{
	struct series s = {0};
	unsigned count = b->count > skip ? b->count - skip : 0;

	if (b->calls == 0)
		return s;
	s.each = count > SERIES_MOST ? (count + SERIES_MOST - 1) / SERIES_MOST : 1;
	s.count = count / s.each;
	for (unsigned i = 0; i < s.count * s.each; i++)
		s.x[i / s.each] += (double)b->sum[skip + i] / (double)b->calls / s.each;
	while (s.count >= 2 * SERIES_LEAST_TO_SPLIT && mostly_equal(&s)) {
		s.count /= 2;
		s.each *= 2;
		for (unsigned i = 0; i < s.count; i++)
			s.x[i] = (s.x[2 * i] + s.x[2 * i + 1]) / 2;
	}
	if (s.count > 1)
		set_scores(&s);
	return s;
}

bool rank_series_can_split(const struct series *s)
{
	return s->count >= SERIES_LEAST_TO_SPLIT && !mostly_equal(s);
}

static double inflation(const double *left, unsigned count, double bias)
{
	double square = 0, product = 0, r;

	for (unsigned i = 0; i < count; i++) {
		square += left[i] * left[i];
		if (i)
			product += left[i] * left[i - 1];
	}
	r = square > 1e-9 ? product / square
			  : 0; /* nothing but rounding is left of a perfect fit */
	r += bias * (1 + 3 * fmax(r, 0)) / count;
	r = fmin(fmax(r, 0), MOST_CORRELATION);
	return sqrt((1 + r) / (1 - r));
}

static double mean_of(const double *x, unsigned from, unsigned to)
{
	double sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += x[i];
	return sum / (to - from);
}

static void rest_of_split(const struct series *s, struct series_split *best)
{
	double rest[SERIES_MOST], before = mean_of(s->score, 0, best->at);
	double after = mean_of(s->score, best->at, s->count);

	for (unsigned i = 0; i < s->count; i++) {
		rest[i] = s->score[i] - (i < best->at ? before : after);
		best->left += rest[i] * rest[i];
	}
	best->inflation = inflation(rest, s->count, SPLIT_BIAS);
}

struct series_split rank_series_split(const struct series *s, unsigned first, unsigned last)
{
	struct series_split best = {.at = 0, .inflation = 1};
	double n = s->count, sum = 0;

	for (unsigned at = 1; at <= last && at < s->count; at++) {
		sum += s->score[at - 1];
		double statistic = sum / sqrt(at * (n - at) / n);
		if (at >= first && fabs(statistic) > fabs(best.statistic)) {
			best.at = at;
			best.statistic = statistic;
		}
	}
	if (best.at)
		rest_of_split(s, &best);
	return best;
}

/* Slope in standard errors; residuals in rest[]. */
static double fit_line(const double *x, unsigned count, double *rest)
{
	double middle = (count - 1.0) / 2, square = 0, product = 0;

	for (unsigned i = 0; i < count; i++) {
		square += (i - middle) * (i - middle);
		product += (i - middle) * x[i];
	}
	for (unsigned i = 0; i < count; i++)
		rest[i] = x[i] - product / square * (i - middle);
	return product / sqrt(square);
}

struct series_line rank_series_line(const struct series *s)
{
	struct series_line l = {.inflation = 1};
	double rest[SERIES_MOST];

	if (s->count < 2)
		return l;
	fit_line(s->score, s->count, rest);
	for (unsigned i = 0; i < s->count; i++)
		l.left += rest[i] * rest[i];
	l.statistic = fit_line(s->rank, s->count, rest);
	l.inflation = inflation(rest, s->count, LINE_BIAS);
	return l;
}
