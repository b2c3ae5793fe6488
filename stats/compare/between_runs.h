// SPDX-License-Identifier: GPL-3.0-or-later
/* Run-to-run variation, which a single run cannot show. It is the scatter of many sites, or of
 * several runs, beyond what their own errors explain. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Random effects model: y[i] = centre + b[i] + e[i]. e[i] has the known variance v[i]; all b[i]
 * have the same unknown variance. The estimate of Paule and Mandel (1982) is the variance that
 * makes the weighted sum of squares equal to its expectation, n - 1; 0 if the values scatter no
 * more than v predicts. */
struct between_runs_effects {
	size_t n;
	double centre, centre_variance;
	double variance; /* of b */
};

/* `skip`: index of a value to leave out, or n or more. v[i] > 0, all values finite. Returns NANs
 * for fewer than two values. */
struct between_runs_effects between_runs_effects(const double *y, const double *v, size_t n,
						 size_t skip);

/* A common prior for many variances that have few degrees of freedom each (sites, each with few
 * runs): Smyth (2004), "Linear models and empirical Bayes methods", section 6.2. Each variance is
 * drawn around `variance` with `freedom` degrees of freedom; INFINITY: all are equal, and their
 * estimates differ only by chance. */
struct between_runs_prior {
	double variance, freedom;
};

/* freedom[i] > 0. Variances of 0 are replaced by a small part of their median. Returns {NAN, 0} for
 * fewer than two. */
struct between_runs_prior between_runs_prior(const double *variance, const double *freedom,
					     size_t n);

/* One variance, shrunk towards the common one. The result has prior->freedom + freedom degrees of
 * freedom. */
double between_runs_moderated(const struct between_runs_prior *prior, double variance,
			      double freedom);

/* Shares of trials, which each run has anew: x[i * runs + k] of its n[k] trials were site i's.
 * effective[i]: as how many independent trials, by Wilson's interval, they tell of the next run's
 * share; at most so many. At least two runs have trials. Their variance is a multiple of the
 * binomial, the design effect, moderated as above, and few runs make it uncertain (Student's t).
 * -1: out of memory. */
int between_runs_shares(const uint64_t *x, const uint64_t *n, size_t sites, size_t runs,
			double confidence, double *effective);
