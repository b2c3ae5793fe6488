// SPDX-License-Identifier: GPL-3.0-or-later
/* Exceedances of an octave's bound, slot by slot, as a series like that of batches. */
#include <math.h>

#include <gsl/gsl_cdf.h>

#include "stats/histogram/tail.h"
#include "stats/mean/autocorrelation.h"
#include "stats/numerics/distributions.h"

#define OCTAVE	   8 /* buckets */
#define MOST	   64
#define LEAST	   32
#define LEAST_PART 0.5 /* minimum share of the calls that must be in known slots */
/* Fewer independent slots leave the variance unknown, as for means. */
#define FEW_INDEPENDENT 18
/* Fewer effective calls beyond a percentile do not show their dependence. */
#define FEW_BEYOND 4

/* The first bucket with at least so many calls at or below it; the last one that has any. */
static uint32_t bucket_of_rank(const uint64_t *count, uint32_t buckets, double rank)
{
	double seen = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; i < buckets; i++) {
		if (!count[i])
			continue;
		last = i;
		seen += (double)count[i];
		if (seen >= rank)
			break;
	}
	return last;
}

static bool slot_is_known(const struct stats_tail *t, uint32_t i)
{
	uint64_t calls = 0;

	for (uint32_t k = 0; k < t->octaves; k++)
		calls += t->slot[i][k];
	return calls == t->calls;
}

static uint32_t known_slots(const struct stats_tail *t, uint32_t *slot)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < t->count && i < MOST; i++)
		if (slot_is_known(t, i))
			slot[known++] = i;
	return known;
}

/* Dependence at the lower bound of an octave, 1 <= octave < octaves of the record. */
static struct tail_dependence at_bound(const struct stats_tail *t, const uint32_t *known,
				       uint32_t slots, uint32_t octave)
{
	struct tail_dependence none = {1, slots - 1, slots};
	uint64_t beyond[MOST] = {0};
	struct stats_batches batches = {t->calls, slots, beyond};
	double p = 0;

	for (uint32_t i = 0; i < slots; i++) {
		for (uint32_t k = octave; k < t->octaves; k++)
			beyond[i] += t->slot[known[i]][k];
		p += (double)beyond[i] / (double)t->calls / slots;
	}
	if (!(p > 0 && p < 1))
		return none;
	struct serial s = autocorrelation_estimate(&batches);
	return (struct tail_dependence){fmax(1, s.variance * s.time * s.calls / (p * (1 - p))),
					s.freedom, s.independent};
}

static uint32_t clamp(int64_t octave, uint32_t least, uint32_t most)
{
	return octave < least ? least : octave > most ? most : (uint32_t)octave;
}

struct tail_dependence tail_dependence_find(const struct stats_tail *tail, const uint64_t *count,
					    uint32_t buckets, double q)
{
	struct tail_dependence unknown = {NAN, 0, 0}, below, above;
	uint32_t known[MOST], slots = tail ? known_slots(tail, known) : 0, at;

	if (slots < LEAST || tail->octaves < 2 || tail->octaves > STATS_TAIL_OCTAVES)
		return unknown;
	double all = histogram_calls(count, 0, buckets);
	if ((double)slots * (double)tail->calls < LEAST_PART * all)
		return unknown;
	int64_t octave = (int64_t)(bucket_of_rank(count, buckets, q * all) / OCTAVE) - tail->first;
	at = clamp(octave, 1, tail->octaves - 1);
	below = at_bound(tail, known, slots, at);
	at = clamp(octave + 1, 1, tail->octaves - 1);
	above = at_bound(tail, known, slots, at);
	return below.design_effect > above.design_effect ? below : above;
}

/* From this many calls on, the error of the normal approximation is far below a bucket. */
#define MANY 1e6

/* P(at most k of n calls lie below the percentile q). */
static double at_most(double k, double n, double q)
{
	if (k < 0)
		return 0;
	if (k >= n)
		return 1;
	if (n >= MANY)
		return gsl_cdf_ugaussian_P((k + 0.5 - n * q) / sqrt(n * q * (1 - q)));
	return distributions_beta_upper(q, k + 1, n - k);
}

/* Up to so many expected calls of the rarer kind adding up takes less than one incomplete beta
 * function, and no power underflows. */
#define FEW 64

/* Adds up from the end with few calls: those below q, or those beyond it, of which the smallest
 * count is looked for with more than 1 - p up to it. */
static double quantile_of_few(double p, double n, double q)
{
	bool below = q <= 0.5;
	double rare = below ? q : 1 - q, one = pow(1 - rare, n), sum = one, k = 0;

	for (; k < n && (below ? sum < p : sum <= 1 - p); k++) {
		one *= (n - k) / (k + 1) * (rare / (1 - rare));
		sum += one;
	}
	return below ? k : n - k;
}

/* The smallest whole k with P(count <= k) >= p. From 2^53 on, where doubles skip whole numbers, a
 * neighbour of it. */
static double binomial_quantile(double p, double n, double q)
{
	double low = -1, high = n;

	if (n * fmin(q, 1 - q) <= FEW)
		return quantile_of_few(p, n, q);
	while (high - low > 1) {
		double k = floor((low + high) / 2);

		if (k <= low || k >= high)
			break;
		if (at_most(k, n, q) >= p)
			high = k;
		else
			low = k;
	}
	return high;
}

struct stats_hist_limits tail_order_limits(const uint64_t *count, uint32_t buckets, double q,
					   double design_effect, double confidence)
{
	double total = histogram_calls(count, 0, buckets), n, tail = (1 - confidence) / 2;
	struct stats_hist_limits limits = {NAN, NAN};

	if (total == 0 || !(q > 0 && q < 1))
		return limits;
	n = design_effect > 1 ? fmax(1, floor(total / design_effect)) : total;
	double scale = total / n;
	/* x(r) <= percentile with probability P(count >= r) >= 1 - tail for the largest r
	 * with P(count <= r - 1) <= tail, and x(s) >= it likewise for the smallest s with
	 * P(count <= s - 1) >= 1 - tail. */
	double low = binomial_quantile(tail, n, q);
	double high = binomial_quantile(1 - tail, n, q) + 1;
	limits.low = 0;
	limits.high = INFINITY;
	if (low >= 1)
		limits.low = histogram_start(bucket_of_rank(count, buckets, (low - 1) * scale + 1));
	if (high <= n)
		limits.high = histogram_start(bucket_of_rank(count, buckets, high * scale) + 1);
	return limits;
}

/* The divisor of the number of calls; sets *unreliable. */
static double design_of(const struct stats_tail *tail, const uint64_t *count, uint32_t buckets,
			double q, double otherwise, double confidence, unsigned *unreliable)
{
	struct tail_dependence d = tail_dependence_find(tail, count, buckets, q);

	*unreliable = 0;
	if (isnan(d.design_effect)) {
		*unreliable = TAIL_UNKNOWN;
		return otherwise > 1 ? otherwise : 1;
	}
	double design = distributions_cautious_design(d.design_effect, confidence, d.freedom);
	double beyond = histogram_calls(count, 0, buckets) * fmin(q, 1 - q);
	if (d.independent < FEW_INDEPENDENT || beyond / design < FEW_BEYOND)
		*unreliable = TAIL_FEW_INDEPENDENT;
	return design;
}

struct tail_limits tail_limits_find(const struct stats_tail *tail, const uint64_t *count,
				    uint32_t buckets, double q, double otherwise, double confidence)
{
	struct tail_limits r;
	struct stats_hist_limits limits;

	r.design_effect = design_of(tail, count, buckets, q, otherwise, confidence, &r.unreliable);
	limits = tail_order_limits(count, buckets, q, r.design_effect, confidence);
	r.low = limits.low;
	r.high = limits.high;
	return r;
}
