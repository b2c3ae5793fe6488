// SPDX-License-Identifier: GPL-3.0-or-later
/* Limits of percentiles by order statistics. */
#include <math.h>

#include <gsl/gsl_cdf.h>

#include "stats/histogram/histogram.h"
#include "stats/numerics/distributions.h"

/* From so many calls on the normal approximation errs by far less than a bucket. */
#define MANY 1e6

/* P(fewer than or exactly k of n calls lie below the percentile q). */
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

/* The smallest whole k with P(count <= k) >= p; from 2^53 on, where not every whole number
 * is a double, one next to it. */
static double binomial_quantile(double p, double n, double q)
{
	double low = -1, high = n;

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

struct stats_hist_limits percentile_limits_find(const uint64_t *count, uint32_t buckets, double q,
						double design_effect, double confidence)
{
	double total = 0, n, tail = (1 - confidence) / 2, scale, low, high;
	struct stats_hist_limits limits = {NAN, NAN};

	for (uint32_t i = 0; i < buckets; i++)
		total += (double)count[i];
	if (total == 0 || !(q > 0 && q < 1))
		return limits;
	n = design_effect > 1 ? fmax(1, floor(total / design_effect)) : total;
	scale = total / n;
	/* x(r) <= percentile with probability P(count >= r) >= 1 - tail for the largest r
	 * with P(count <= r - 1) <= tail, and x(s) >= it likewise for the smallest s with
	 * P(count <= s - 1) >= 1 - tail. */
	low = binomial_quantile(tail, n, q);
	high = binomial_quantile(1 - tail, n, q) + 1;
	limits.low = 0;
	limits.high = INFINITY;
	if (low >= 1)
		limits.low = histogram_start(bucket_of_rank(count, buckets, low * scale));
	if (high <= n)
		limits.high = histogram_start(bucket_of_rank(count, buckets, high * scale) + 1);
	return limits;
}
