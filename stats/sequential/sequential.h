// SPDX-License-Identifier: GPL-3.0-or-later
/* Verdicts that hold however often one looks: confidence sequences for a mean of differences.
 *
 * Watching an ordinary 95 % interval until it excludes 0 finds a difference between two equal
 * programs sooner or later. Here the limits hold at all looks together:
 *   P(the truth is outside at any n) <= alpha.
 *
 * Pure functions; durations in whatever unit the caller uses. Sources: Robbins (1970), the normal
 * mixture; Lai (1976) and Lindon, Ham, Tingley and Bojinov (2022), "Anytime-valid linear models and
 * regression adjusted causal inference in randomized experiments": the t mixture, exact for normal
 * differences from the second on; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021),
 * "Time-uniform central limit theory and asymptotic confidence sequences"; Wang and Ramdas (2022),
 * "False discovery rate control with e-values", for many sites at a time. */
#pragma once

#include <stddef.h>

/* Differences so far: their number, mean and sum of squared deviations from it (Welford). */
struct sequential {
	double n, mean, squares;
};
void sequential_add(struct sequential *s, double difference);

/* The e-value against the hypothesis "the mean is `at`". Under it, its expectation is at most 1 at
 * any stopping time, so 1 / e is a p-value however often one looked. `tuned`: the n with the
 * highest power. 1 for n < 2. */
double sequential_e(const struct sequential *s, double at, double tuned);

/* The confidence sequence: all means whose e-value is below 1 / alpha. */
struct sequential_limits {
	double low, high; /* infinite while nothing is known */
};
struct sequential_limits sequential_interval(const struct sequential *s, double alpha,
					     double tuned);

/* e-BH: finds the discoveries among `count` e-values at rate alpha, whatever their dependence. Sets
 * found[i] for each, and returns their number. */
size_t sequential_discover(const double *e, size_t count, double alpha, unsigned char *found);

/* The same for a mean whose error is estimated in other ways, watched from a least time on: with
 * S(t) a Brownian motion,
 *   P(|S(t)| >= sqrt(t) sequential_z(t / m, alpha) for some t >= m) = alpha,
 * z^2 = a^2 + ln(t / m), 2 (1 - Phi(a) + a phi(a)) = alpha (Robbins 1970, section 6). `times`:
 * t / m. In sequential_t Student's quantile that is as improbable, for an error of so many degrees
 * of freedom. */
double sequential_z(double times, double alpha);
double sequential_t(double times, double alpha, double freedom);
