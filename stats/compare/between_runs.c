// SPDX-License-Identifier: GPL-3.0-or-later
/* Variances between runs: by Paule and Mandel for many sites of one pair of runs; Smyth's moderated
 * variances for many sites of several runs. */
#include "stats/compare/between_runs.h"

#include <math.h>
#include <stdlib.h>

#include "stats/numerics/distributions.h"

#define STEPS 200

/* Weighted mean and sum of squares around it, for a given between-run variance. */
static double squares_at(const double *y, const double *v, size_t n, size_t skip, double between,
			 struct between_runs_effects *e)
{
	double weights = 0, sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == skip)
			continue;
		weights += 1 / (v[i] + between);
		sum += y[i] / (v[i] + between);
	}
	e->centre = sum / weights;
	e->centre_variance = 1 / weights;
	e->variance = between;
	for (size_t i = 0; i < n; i++)
		if (i != skip)
			squares += (y[i] - e->centre) * (y[i] - e->centre) / (v[i] + between);
	return squares;
}

/* The sum of squares falls as the variance rises. If the variance is the plain sum of squares, the
 * weighted sum is below 1, which is at most the expected value. */
struct between_runs_effects between_runs_effects(const double *y, const double *v, size_t n,
						 size_t skip)
{
	size_t values = n - (skip < n);
	struct between_runs_effects e = {values, NAN, NAN, NAN};
	double expected = (double)values - 1, low = 0, high = 0, centre;

	if (n < 1 || values < 2)
		return e;
	if (squares_at(y, v, n, skip, 0, &e) <= expected)
		return e;
	centre = e.centre;
	for (size_t i = 0; i < n; i++)
		if (i != skip)
			high += (y[i] - centre) * (y[i] - centre);
	for (int i = 0; i < STEPS && high - low > 1e-10 * high; i++) {
		double middle = low + (high - low) / 2;

		if (squares_at(y, v, n, skip, middle, &e) > expected)
			low = middle;
		else
			high = middle;
	}
	squares_at(y, v, n, skip, high, &e);
	return e;
}

/* psi'(x) = y, by Newton's method on 1 / psi', which is nearly straight (Smyth 2004, appendix). */
static double trigamma_inverse(double y)
{
	double x = 0.5 + 1 / y;

	if (y > 1e7)
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y;
	for (int i = 0; i < STEPS; i++) {
		double tri = distributions_trigamma(x),
		       step = tri * (1 - tri / y) / distributions_tetragamma(x);

		x += step;
		if (-step / x < 1e-10)
			break;
	}
	return x;
}

/* Replaces variances of 0, whose logarithm does not exist. */
static double smallest(const double *variance, size_t n)
{
	double sum = 0;
	size_t positive = 0;

	for (size_t i = 0; i < n; i++) {
		if (variance[i] > 0) {
			sum += log(variance[i]);
			positive++;
		}
	}
	return positive ? 1e-5 * exp(sum / (double)positive) : 0;
}

/* Its expectation is log sigma^2. */
static double centred_log(double variance, double half)
{
	return log(variance) - distributions_digamma(half) + log(half);
}

/* log s^2 with f degrees of freedom has mean psi(f/2) - log(f/2) + log sigma^2 and variance
 * psi'(f/2). Any further variance of the logarithms comes from the sigmas. */
struct between_runs_prior between_runs_prior(const double *variance, const double *freedom,
					     size_t n)
{
	struct between_runs_prior none = {NAN, 0}, prior;
	double least = smallest(variance, n), mean = 0, square = 0, expected = 0, excess;

	if (n < 2 || !(least > 0))
		return none;
	for (size_t i = 0; i < n; i++) {
		mean += centred_log(fmax(variance[i], least), freedom[i] / 2);
		expected += distributions_trigamma(freedom[i] / 2);
	}
	mean /= (double)n;
	for (size_t i = 0; i < n; i++) {
		double e = centred_log(fmax(variance[i], least), freedom[i] / 2) - mean;

		square += e * e;
	}
	excess = square / (double)(n - 1) - expected / (double)n;
	if (!(excess > 0))
		return (struct between_runs_prior){exp(mean), INFINITY};
	prior.freedom = 2 * trigamma_inverse(excess);
	prior.variance =
		exp(mean + distributions_digamma(prior.freedom / 2) - log(prior.freedom / 2));
	return prior;
}

double between_runs_moderated(const struct between_runs_prior *prior, double variance,
			      double freedom)
{
	if (!(prior->freedom > 0))
		return variance;
	if (isinf(prior->freedom))
		return prior->variance;
	return (prior->freedom * prior->variance + freedom * variance) / (prior->freedom + freedom);
}

#define TELLING 20 /* trials of a site: the scatter of fewer is hardly more than chance */

/* All trials, and degrees of freedom of a variance between runs of so many (Satterthwaite 1946). */
struct weights {
	double all, squares, freedom;
};

static struct weights weigh(const uint64_t *n, size_t runs)
{
	struct weights w = {0};
	double cubes = 0, some = 0;

	for (size_t k = 0; k < runs; k++) {
		double trials = (double)n[k];

		w.all += trials;
		w.squares += trials * trials;
		cubes += trials * trials * trials;
		some += trials > 0;
	}
	w.squares /= w.all * w.all;
	cubes /= w.all * w.all * w.all;
	w.freedom = pow(1 - w.squares, 2) / (w.squares - 2 * cubes + w.squares * w.squares);
	w.freedom = fmin(fmax(w.freedom, 1), some - 1);
	return w;
}

/* Variance between runs by the binomial one; NAN: none or all trials are the site's. */
static double design_effect(const uint64_t *x, const uint64_t *n, size_t runs,
			    const struct weights *w, double *trials)
{
	double share, squares = 0;

	*trials = 0;
	for (size_t k = 0; k < runs; k++)
		*trials += (double)x[k];
	share = *trials / w->all;
	for (size_t k = 0; k < runs; k++)
		squares += pow((double)x[k] - share * (double)n[k], 2);
	return squares / (1 - w->squares) / (w->all * share * (1 - share));
}

int between_runs_shares(const uint64_t *x, const uint64_t *n, size_t sites, size_t runs,
			double confidence, double *effective)
{
	const struct weights w = weigh(n, runs);
	double *effect = calloc(2 * sites + 1, sizeof(*effect)), *freedom, trials;
	size_t telling = 0;

	if (!effect)
		return -1;
	freedom = effect + sites;
	for (size_t i = 0; i < sites; i++) {
		effective[i] = design_effect(x + i * runs, n, runs, &w, &trials);
		if (trials >= TELLING && effective[i] >= 0) {
			effect[telling] = effective[i];
			freedom[telling++] = w.freedom;
		}
	}
	struct between_runs_prior prior = between_runs_prior(effect, freedom, telling);
	/* what a run does to all sites alike counts once, however many they are */
	double known = w.freedom + fmin(prior.freedom, w.freedom);
	double wider = distributions_t_two_sided(confidence, known) /
		       distributions_t_two_sided(confidence, INFINITY);

	for (size_t i = 0; i < sites; i++) {
		double own = effective[i] >= 0 ? effective[i] : 0;

		effective[i] = w.all / fmax(1, between_runs_moderated(&prior, own, w.freedom) *
						       pow(wider, 2));
	}
	free(effect);
	return 0;
}
