// SPDX-License-Identifier: GPL-3.0-or-later
/* Limits by Newton's method on the logarithm of the tail probability as a function
 * of log odds, which is concave (its density is log-concave): about five values of
 * the distribution function for a limit. GSL's own inverse of the beta distribution
 * gives up on ordinary counts (3 of 60 000) and ends the program. */
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>

#include "stats/mean/proportion.h"
#include "stats/numerics/distributions.h"

/* Both counts above this: GSL's continued fraction takes hundreds of steps, and at
 * some millions gives up with NAN. Peizer and Pratt's approximation is right to
 * 1e-8 of a standard deviation there. */
#define MANY 20000
/* Log odds beyond these are 0 and 1 as far as doubles go. */
#define ODDS_LIMIT 700
#define STEPS	   200

/* g(t) of Peizer and Pratt, in e = 1 - t: sum of 2 e^k / ((k + 1) (k + 2)). */
static double pratt_g(double e)
{
	double sum = 0, power = 1, t = 1 - e;

	if (fabs(e) > 0.1)
		return (1 - t * t + 2 * t * log(t)) / (e * e);
	for (int k = 1; k < 16; k++) {
		power *= e;
		sum += 2 * power / ((k + 1) * (k + 2));
	}
	return sum;
}

/* Peizer and Pratt (1968), "A Normal Approximation for Binomial, F, Beta, and Other
 * Common, Related Tail Probabilities, I", eq. 1.5: normal deviate of I_p(a, b). */
static double pratt_deviate(double p, double a, double b)
{
	double q = 1 - p, n = a + b - 1, s = b - 0.5, t = a - 0.5;
	/* P(X <= x | n, q') for x = b - 1 failures, each of probability q. */
	double d = s + 1 / 6.0 - (n + 1 / 3.0) * q + 0.02 * (p / b - q / a + (p - 0.5) / (a + b));

	return d * sqrt((1 + p * pratt_g(1 - s / (n * q)) + q * pratt_g(1 - t / (n * p))) /
			((n + 1 / 6.0) * p * q));
}

/* I_p(a, b), or its complement. */
static double beta_tail(double p, double a, double b, bool upper)
{
	if (a <= 0 || b <= 0)
		return (b <= 0) == upper;
	if (a > MANY && b > MANY) {
		double z = pratt_deviate(p, a, b);

		return upper ? gsl_cdf_ugaussian_Q(z) : gsl_cdf_ugaussian_P(z);
	}
	return upper ? distributions_beta_upper(p, a, b) : distributions_beta_lower(p, a, b);
}

/* Mean of one or two beta tails. */
struct tail {
	unsigned terms;
	double a[2], b[2];
	double log_beta[2];
	bool upper;
};

static struct tail tail_of(unsigned terms, double a, double b, bool upper)
{
	struct tail t = {terms, {a, a + 1}, {b, b - 1}, {INFINITY, INFINITY}, upper};

	for (unsigned i = 0; i < terms; i++)
		if (t.a[i] > 0 && t.b[i] > 0)
			t.log_beta[i] = lgamma(t.a[i]) + lgamma(t.b[i]) - lgamma(t.a[i] + t.b[i]);
	return t;
}

/* The logarithm of the tail at log odds s, and its slope. */
static double log_tail(const struct tail *t, double s, double *slope)
{
	double p = 1 / (1 + exp(-s)), log_p = -log1p(exp(-s)), log_q = -log1p(exp(s));
	double sum = 0, density = 0;

	for (unsigned i = 0; i < t->terms; i++) {
		sum += beta_tail(p, t->a[i], t->b[i], t->upper);
		density += exp(t->a[i] * log_p + t->b[i] * log_q - t->log_beta[i]);
	}
	*slope = (t->upper ? -1 : 1) * density / sum;
	return log(sum / t->terms);
}

/* The p at which the tail has this probability. Newton's steps stay within a bracket; if a tail is
 * 0 or 1 to all digits, the bracket is halved. */
static double tail_inverse(const struct tail *t, double probability, double start)
{
	double low = -ODDS_LIMIT, high = ODDS_LIMIT, wanted = log(probability);
	double s = fmin(fmax(log(start / (1 - start)), low), high);

	for (int i = 0; i < STEPS; i++) {
		double slope, over = log_tail(t, s, &slope) - wanted, next;

		if ((over < 0) != t->upper)
			low = s;
		else
			high = s;
		next = s - over / slope;
		if (!(next > low && next < high)) /* also true for NAN */
			next = low + (high - low) / 2;
		if (fabs(next - s) < 1e-10 || next == low || next == high) {
			s = next;
			break;
		}
		s = next;
	}
	return 1 / (1 + exp(-s));
}

void proportion_wilson(double x, double n, double confidence, double *low, double *high)
{
	double z = distributions_t_two_sided(confidence, INFINITY), p = x / n, square = z * z / n;
	double centre = (p + square / 2) / (1 + square);
	double half = z * sqrt(p * (1 - p) / n + square / (4 * n)) / (1 + square);

	*low = x > 0 ? fmax(0, centre - half) : 0;
	*high = x < n ? fmin(1, centre + half) : 1;
}

void proportion_agresti_coull(double x, double n, double confidence, double *low, double *high)
{
	double z = distributions_t_two_sided(confidence, INFINITY), trials = n + z * z,
	       p = (x + z * z / 2) / trials;
	double half = z * sqrt(p * (1 - p) / trials);

	*low = x > 0 ? fmax(0, p - half) : 0;
	*high = x < n ? fmin(1, p + half) : 1;
}

/* The proportions at which the tails have half of what the confidence leaves. Start values:
 * Wilson's limits, kept away from 0 and 1. */
static void invert(double x, double n, double confidence, const struct tail *lower,
		   const struct tail *upper, double *low, double *high)
{
	double rest = (1 - confidence) / 2;

	proportion_wilson(x, n, confidence, low, high);
	*low = x > 0 ? tail_inverse(lower, rest, fmax(*low, 1e-3 / n)) : 0;
	*high = x < n ? tail_inverse(upper, rest, fmin(*high, 1 - 1e-3 / n)) : 1;
}

/* Most sites of a large profile need one of few results: some calls, and no tick or one. Each
 * thread caches its last results by their arguments. */
void proportion_clopper_pearson(double x, double n, double confidence, double *low, double *high)
{
	static _Thread_local struct answer {
		double x, n, confidence, low, high;
	} kept[256]; /* n = 0: unused entry */
	union {
		double number;
		uint64_t bits;
	} a = {x}, b = {n};
	struct answer *k =
		&kept[(a.bits * 0x9e3779b97f4a7c15u ^ b.bits * 0xd6e8feb86659fd93u) >> 56];

	if (!(k->n > 0 && k->x == x && k->n == n && k->confidence == confidence)) {
		struct tail at_least = tail_of(1, x, n - x + 1, false);
		struct tail at_most = tail_of(1, x + 1, n - x, true);
		invert(x, n, confidence, &at_least, &at_most, low, high);
		*k = (struct answer){x, n, confidence, *low, *high};
		return;
	}
	*low = k->low;
	*high = k->high;
}

void proportion_mid_p(double x, double n, double confidence, double *low, double *high)
{
	struct tail above = tail_of(2, x, n - x + 1, false);
	struct tail below = tail_of(2, x, n - x + 1, true);

	invert(x, n, confidence, &above, &below, low, high);
}

void proportion_jeffreys(double x, double n, double confidence, double *low, double *high)
{
	struct tail lower = tail_of(1, x + 0.5, n - x + 0.5, false);
	struct tail upper = tail_of(1, x + 0.5, n - x + 0.5, true);

	invert(x, n, confidence, &lower, &upper, low, high);
}

#define FEWEST	     20 /* trials of those that are together: fewer would not show what lasts longer */
#define LEAST_GROUPS (PROPORTION_LEAST / FEWEST)

double proportion_batches(const uint64_t *x, const uint64_t *n, size_t batches, double confidence,
			  double *low, double *high)
{
	double all = 0, successes = 0, squares = 0, last = 0;

	for (size_t i = 0; i < batches; i++) {
		all += (double)n[i];
		successes += (double)x[i];
	}
	*low = 0;
	*high = 1;
	if (!(all > 0))
		return 0;
	double p = successes / all, binomial = all * p * (1 - p), effective = all;
	/* Neighbours are one batch where there are few trials. */
	size_t together = (size_t)fmin(ceil(FEWEST * (double)batches / all), (double)batches);
	double groups = (double)(batches / together);

	for (size_t i = 0; i + together <= batches; i += together) {
		double off = 0;

		for (size_t k = i; k < i + together; k++)
			off += (double)x[k] - p * (double)n[k];
		squares += i ? (off - last) * (off - last) : 0;
		last = off;
	}
	if (groups >= LEAST_GROUPS && binomial > 0)
		effective /= fmax(1, squares * (double)batches / (double)together /
					     (2 * (groups - 1)) / binomial);
	proportion_wilson(p * effective, effective, confidence, low, high);
	return effective;
}
