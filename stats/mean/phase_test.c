// SPDX-License-Identifier: GPL-3.0-or-later
/* Test of uniform phases by the number of coincidences.
 *
 * Pearson's X^2 of N samples in m equally likely bins is 2 m T / N + m - N, where T = sum c (c - 1)
 * / 2 counts the pairs of samples that share a bin. For a handful of samples X^2 is far from
 * chi-square, but T is a small integer whose distribution is summed exactly; for more, three of its
 * moments are enough. */
#include <math.h>
#include <stdbool.h>

#include "stats/mean/phase_test.h"
#include "stats/numerics/distributions.h"

typedef unsigned __int128 u128;

/* The exact sum takes about EXACT_N^2 EXACT_PAIRS steps (2 ms) and 84 kB of stack. */
#define EXACT_N	    64
#define EXACT_PAIRS 160

static uint64_t total_of(const uint64_t *count, unsigned bins)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < bins; i++)
		total += count[i];
	return total;
}

static long double pairs_of(const uint64_t *count, unsigned bins)
{
	u128 twice = 0;

	for (unsigned i = 0; i < bins; i++)
		if (count[i])
			twice += (u128)count[i] * (count[i] - 1);
	return (long double)twice / 2;
}

/* T is a sum of indicators "samples i and j share a bin" of probability p = 1/m. Any
 * that form no closed triangle are independent, so that over M = N (N - 1) / 2 pairs
 *   E T = M p,   Var T = M p (1 - p),
 *   third central moment = M p (1 - p) (1 - 2 p) + N (N - 1) (N - 2) p^2 (1 - p). */
struct moments {
	double mean, variance, skewness;
};

static struct moments coincidences(double n, unsigned bins)
{
	double p = 1.0 / bins, pairs = n * (n - 1) / 2;
	struct moments m = {pairs * p, pairs * p * (1 - p), 0};
	double third = m.variance * (1 - 2 * p) + n * (n - 1) * (n - 2) * p * p * (1 - p);

	m.skewness = third / pow(m.variance, 1.5);
	return m;
}

/* Pearson type III: a shifted gamma distribution with those moments, at half a pair
 * below T because T is an integer. */
static double gamma_tail(struct moments m, long double pairs)
{
	double shape = 4 / (m.skewness * m.skewness);
	double scale = sqrt(m.variance) * m.skewness / 2;
	double x = (double)(pairs - 0.5L - (long double)m.mean) / scale + shape;

	return x > 0 ? distributions_gamma_upper(x, shape) : 1;
}

/* Adds one bin: part[n][t] becomes the sum over its count k of part[n - k][t - k (k - 1) / 2] / (k!
 * m^k). n descends, so that old values are read before they are replaced. */
static void add_bin(double part[][EXACT_PAIRS], unsigned n_max, unsigned t_max,
		    const double *weight)
{
	for (unsigned n = n_max; n > 0; n--)
		for (unsigned k = 1; k <= n && k * (k - 1) / 2 < t_max; k++)
			for (unsigned t = k * (k - 1) / 2; t < t_max; t++)
				part[n][t] += weight[k] * part[n - k][t - k * (k - 1) / 2];
}

/* P(T >= t_max) of n samples: 1 - n! [x^n] (sum_k x^k y^(k (k - 1) / 2) / (k! m^k))^m,
 * the powers of y below t_max taken together. */
static double exact_tail(unsigned n, unsigned bins, unsigned t_max)
{
	double part[EXACT_N + 1][EXACT_PAIRS] = {{0}};
	double weight[EXACT_N + 1] = {1}, below = 0;

	for (unsigned k = 1; k <= n; k++)
		weight[k] = weight[k - 1] / k / bins;
	part[0][0] = 1;
	for (unsigned b = 0; b < bins; b++)
		add_bin(part, n, t_max, weight);
	for (unsigned t = 0; t < t_max; t++)
		below += part[n][t];
	/* The difference from 1 has the absolute error of rounding, about 1e-14. */
	return fmin(fmax(1 - below * tgamma(n + 1.0), 1e-14), 1);
}

double phase_test_p(const uint64_t *count, unsigned bins)
{
	uint64_t total = total_of(count, bins);
	long double pairs = pairs_of(count, bins);

	if (bins < 2 || total < STATS_PHASE_LEAST)
		return NAN;
	struct moments m = coincidences((double)total, bins);
	bool exact = total <= EXACT_N && m.mean + 7 * sqrt(m.variance) < EXACT_PAIRS;
	if (!exact)
		return gamma_tail(m, pairs);
	return exact_tail((unsigned)total, bins, (unsigned)fminl(pairs, EXACT_PAIRS));
}

double phase_test_unevenness(const uint64_t *count, unsigned bins)
{
	double n = (double)total_of(count, bins);

	if (bins < 2 || n < STATS_PHASE_LEAST)
		return NAN;
	/* T / M estimates the probability of a coincidence without bias: (1 + e^2) / m. */
	return sqrt(fmax(0, (double)pairs_of(count, bins) / (n * (n - 1) / 2) * bins - 1));
}
