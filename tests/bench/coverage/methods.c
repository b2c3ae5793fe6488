// SPDX-License-Identifier: GPL-3.0-or-later
/* Long-run variances of at most 64 batch means. */
#include <float.h>
#include <math.h>

#include "tests/bench/coverage/methods.h"
#include "stats/numerics/distributions.h"

#define MOST	    64
#define LEAST	    8
#define OBM_WINDOWS 8
#define AR_ORDER    5
/* Mean and variance of the logarithm of the mean of two exponentials, less that of its mean. */
#define LOG_PAIR_BIAS	  (-0.270362845461478)
#define LOG_PAIR_VARIANCE 0.644934066848226

const char *const method_names[METHODS] = {"batch-t", "obm", "ewc", "ar", "hw"};

struct series {
	int m;
	double x[MOST]; /* means of batches, less their mean */
};

/* Long-run variance of a batch mean: that of the mean of all m, times m. */
struct long_run {
	double variance, freedom;
};

static void centre(const struct stats_batches *b, struct series *s)
{
	double mean = 0;

	s->m = b->count < MOST ? (int)b->count : MOST;
	for (int i = 0; i < s->m; i++)
		mean += s->x[i] = (double)b->sum[i] / (double)b->calls;
	mean /= s->m;
	for (int i = 0; i < s->m; i++)
		s->x[i] -= mean;
}

static double covariance(const struct series *s, int lag)
{
	double sum = 0;

	for (int i = 0; i + lag < s->m; i++)
		sum += s->x[i] * s->x[i + lag];
	return sum / s->m;
}

static struct long_run batch_t(const struct series *s)
{
	return (struct long_run){covariance(s, 0) * s->m / (s->m - 1), s->m - 1};
}

/* Windows of w batches; 1.5 (m / w - 1) degrees of freedom. */
static struct long_run overlapping(const struct series *s)
{
	int m = s->m, w = m / OBM_WINDOWS;
	double sum = 0, squares = 0;

	for (int i = 0; i < m; i++) {
		sum += s->x[i] - (i >= w ? s->x[i - w] : 0);
		if (i >= w - 1)
			squares += sum * sum;
	}
	return (struct long_run){squares / w * m / ((double)(m - w + 1) * (m - w)),
				 1.5 * ((double)m / w - 1)};
}

static struct long_run cosines(const struct series *s)
{
	int waves = (int)fmax(2, nearbyint(0.4 * pow(s->m, 2.0 / 3)));
	double squares = 0;

	for (int w = 1; w <= waves; w++) {
		double sum = 0;

		for (int i = 0; i < s->m; i++)
			sum += M_SQRT2 * cos(M_PI * w * (i + 0.5) / s->m) * s->x[i];
		squares += sum * sum;
	}
	return (struct long_run){squares / waves / s->m, waves};
}

/* Levinson and Durbin's recursion; the variance at frequency zero of the best order. Degrees of
 * freedom: those of a sum of squares as long as the series is independent, as Fishman's. */
static struct long_run autoregression(const struct series *s)
{
	double a[AR_ORDER + 1] = {0}, c0 = covariance(s, 0), noise = c0, best = INFINITY;
	struct long_run r = {c0, s->m - 1};

	for (int p = 0; p <= AR_ORDER && noise > 0; p++) {
		double gain = 1, akaike, time;

		if (p > 0) {
			double k = covariance(s, p), old[AR_ORDER + 1];

			for (int i = 1; i < p; i++)
				k -= a[i] * covariance(s, p - i);
			k /= noise;
			for (int i = 1; i < p; i++)
				old[i] = a[i];
			for (int i = 1; i < p; i++)
				a[i] = old[i] - k * old[p - i];
			a[p] = k;
			noise *= 1 - k * k;
		}
		for (int i = 1; i <= p; i++)
			gain -= a[i];
		akaike = s->m * log(noise) + 2 * p;
		if (akaike >= best)
			continue;
		best = akaike;
		r.variance = noise * s->m / (s->m - p - 1.0) / (gain * gain);
		time = fmax(1, r.variance / c0);
		r.freedom = fmax(1, s->m / time - 1);
	}
	return r;
}

/* The logarithm of the mean of two neighbouring ordinates. */
static double log_pair(const struct series *s, int pair)
{
	double both = 0;

	for (int j = 2 * pair + 1; j <= 2 * pair + 2; j++) {
		double c = 0, v = 0;

		for (int i = 0; i < s->m; i++) {
			c += s->x[i] * cos(2 * M_PI * i * j / s->m);
			v += s->x[i] * sin(2 * M_PI * i * j / s->m);
		}
		both += (c * c + v * v) / s->m / 2;
	}
	return log(fmax(both, DBL_MIN)); /* batches that all wave at other frequencies */
}

/* Least squares of a parabola in the frequency; its value at zero, and that value's variance. The
 * intercept is a linear function of the ordinates, by Gram and Schmidt. */
static struct long_run log_periodogram(const struct series *s)
{
	int pairs = (s->m - 1) / 4;
	double basis[3][MOST], at_zero[3], zero = 0, variance = 0;

	for (int p = 0; p < 3; p++) {
		double norm = 0;

		for (int i = 0; i < pairs; i++)
			basis[p][i] = pow((4 * i + 3) / (2.0 * s->m), p);
		at_zero[p] = p == 0;
		for (int q = 0; q < p; q++) {
			double dot = 0;

			for (int i = 0; i < pairs; i++)
				dot += basis[p][i] * basis[q][i];
			for (int i = 0; i < pairs; i++)
				basis[p][i] -= dot * basis[q][i];
			at_zero[p] -= dot * at_zero[q];
		}
		for (int i = 0; i < pairs; i++)
			norm += basis[p][i] * basis[p][i];
		norm = sqrt(norm);
		at_zero[p] /= norm;
		variance += at_zero[p] * at_zero[p];
		for (int i = 0; i < pairs; i++)
			basis[p][i] /= norm;
	}
	for (int i = 0; i < pairs; i++) {
		double weight = 0;

		for (int p = 0; p < 3; p++)
			weight += at_zero[p] * basis[p][i];
		zero += weight * (log_pair(s, i) - LOG_PAIR_BIAS);
	}
	variance *= LOG_PAIR_VARIANCE;
	return (struct long_run){exp(zero - variance / 2), fmax(1, nearbyint(2 / expm1(variance)))};
}

struct method_limits methods_limits(enum method m, const struct stats_sample *s, double confidence)
{
	static struct long_run (*const of[METHODS])(const struct series *) = {
		batch_t, overlapping, cosines, autoregression, log_periodogram};
	double n = (double)s->sums.n, mean = (double)s->sums.sum / n, half;
	struct long_run r;
	struct series x;

	if (s->batches.count < LEAST)
		return (struct method_limits){0, INFINITY};
	centre(&s->batches, &x);
	if (!(covariance(&x, 0) > 0))
		return (struct method_limits){mean, mean};
	r = of[m](&x);
	half = sqrt(r.variance * (double)s->batches.calls / n) *
	       distributions_t_quantile(0.5 + confidence / 2, r.freedom);
	return (struct method_limits){fmax(0, mean - half), mean + half};
}
