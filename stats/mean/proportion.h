// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals for a proportion: x successes in n independent trials. x and n are real, because a
 * design effect makes them effective numbers; 0 <= x <= n, n > 0, 0 < confidence < 1. Limits are
 * within [0, 1]; 0 for x = 0 and 1 for x = n on that side. Which one scprof uses, and why:
 * docs/coverage.md.
 *
 * Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion" (2001), compare them;
 * with x + a, n + b etc. for whole numbers, beta distributions stand for the binomial's tails:
 *   P(X >= x | p) = I_p(x, n - x + 1),  P(X <= x | p) = I_{1-p}(n - x, x + 1).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Clopper and Pearson (1934): exact, never covers less than asked. */
void proportion_clopper_pearson(double x, double n, double confidence, double *low, double *high);

/* The same with half the probability of the outcome itself (Lancaster 1961; Berry and
 * Armitage 1995): covers as asked on average over p, not for every p. */
void proportion_mid_p(double x, double n, double confidence, double *low, double *high);

/* Wilson's interval where trials that follow each other may depend: of batches in the order of
 * time, x[i] successes in n[i] trials. The variance of the ratio comes from differences of
 * neighbours (Wolter, "Introduction to Variance Estimation", 1985, section 7.2), so that phases,
 * which are longer than a batch, do not count as errors; it is never less than of independent
 * trials. Of fewer than PROPORTION_LEAST trials it is not seen, and of few more only roughly: so
 * they count as independent. Returns the effective number of trials; 0: there are none. */
#define PROPORTION_LEAST 160
double proportion_batches(const uint64_t *x, const uint64_t *n, size_t batches, double confidence,
			  double *low, double *high);

/* Wilson (1927): the p that the normal approximation does not reject. */
void proportion_wilson(double x, double n, double confidence, double *low, double *high);

/* Quantiles of the posterior of Jeffreys' prior, beta(x + 1/2, n - x + 1/2). */
void proportion_jeffreys(double x, double n, double confidence, double *low, double *high);

/* Agresti and Coull (1998): Wald's interval around Wilson's centre, cut to [0, 1]. */
void proportion_agresti_coull(double x, double n, double confidence, double *low, double *high);
