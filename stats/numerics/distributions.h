// SPDX-License-Identifier: GPL-3.0-or-later
/* GSL's distributions for any arguments: NAN where there is no answer, or GSL fails to find it.
 * GSL's own error handler ends the process; it is off in every process that links these. So scprof
 * calls GSL only here, except for what cannot fail (gsl_cdf_ugaussian_*, sorting). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Student's t, of one degree of freedom at least: fewer give no answer. More than 1e5 are the
 * normal distribution to 1e-5. */
double distributions_t_quantile(double p, double freedom);
/* How far from 0 the limits at this confidence lie; freedom INFINITY: the normal distribution's. */
double distributions_t_two_sided(double confidence, double freedom);
double distributions_t_upper(double t, double freedom);

/* As Korn and Graubard (1998): few degrees of freedom reduce the number of effective calls. */
double distributions_cautious_design(double design, double confidence, double freedom);

/* I_x(a, b), and its complement. */
double distributions_beta_lower(double x, double a, double b);
double distributions_beta_upper(double x, double a, double b);

/* P(X > x) of a gamma distribution of scale 1. */
double distributions_gamma_upper(double x, double shape);

/* P(X > k) of n trials. */
double distributions_binomial_upper(unsigned k, double p, unsigned n);

/* psi and its first two derivatives, of x > 0. */
double distributions_digamma(double x);
double distributions_trigamma(double x);
double distributions_tetragamma(double x);

/* Probability of at least k successes in n independent trials of probability p. */
double distributions_binomial_at_least(uint32_t k, uint32_t n, double p);

/* Makes n p values q values, by Benjamini and Hochberg (1995): the lowest false discovery rates at
 * which the tests are still discoveries. NAN is no test, is not counted, and stays. -1: out of
 * memory. */
int distributions_q_values(double *p, size_t n);
