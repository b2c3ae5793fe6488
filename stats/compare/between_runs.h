// SPDX-License-Identifier: GPL-3.0-or-later
/* Run-to-run variation, which a single run cannot show: estimated from how much more many sites, or
 * several runs, scatter than their own errors allow.
 *
 * Pure functions: none allocates, fails or keeps state; any thread may call them.
 */
#ifndef SCPROF_STATS_COMPARE_BETWEEN_RUNS_H
#define SCPROF_STATS_COMPARE_BETWEEN_RUNS_H

#include <stddef.h>

/* Random effects: values y[i] = centre + b[i] + e[i], where e[i] has the known variance
 * v[i] and b[i] the same unknown one. Paule and Mandel (1982): that variance is the one
 * which makes the weighted sum of squares as large as expected, n - 1; 0 where the
 * values scatter no more than v says. */
struct between_runs_effects {
	size_t n;
	double centre, centre_variance;
	double variance; /* of b */
};

/* `skip`: an index that is left out, or n or more. v[i] > 0, all finite. NANs for fewer
 * than two values. */
struct between_runs_effects between_runs_effects(const double *y, const double *v, size_t n,
						 size_t skip);

/* Many variances, each from few degrees of freedom (sites, each with the scatter of its few runs),
 * and what they have in common: Smyth (2004), "Linear models and empirical Bayes methods", section
 * 6.2. Each is taken as drawn around `variance` with `freedom` degrees of freedom; INFINITY: they
 * differ by chance only. */
struct between_runs_prior {
	double variance, freedom;
};

/* freedom[i] > 0; variances of 0 are taken as a small part of their median. {NAN, 0} for
 * fewer than two. */
struct between_runs_prior between_runs_prior(const double *variance, const double *freedom,
					     size_t n);

/* A single variance, shrunk towards the common one. Its degrees of freedom are then prior->freedom
 * + freedom. */
double between_runs_moderated(const struct between_runs_prior *prior, double variance,
			      double freedom);

#endif
