// SPDX-License-Identifier: GPL-3.0-or-later
/* Other methods for the interval of a mean from batch sums, to compare the rule with. None is in
 * the product. All take the mean of all calls and Student's t; they differ in the long-run
 * variance of the m batch means and its degrees of freedom:
 *   batch-t  the batches' own variance, as if they were independent
 *   obm      overlapping batch means, windows of m/8 batches (Meketon and Schmeiser 1984)
 *   ewc      equal-weighted cosines, B = 0.4 m^(2/3) of them (Lazarus, Lewis, Stock and Watson
 *            2018, "HAR Inference", eqs. 4 and 10)
 *   ar       an autoregression, order by Akaike's criterion, and its spectrum at zero (Fishman
 *            1978, "Principles of Discrete Event Simulation", section 5.10)
 *   hw       a parabola through the logarithm of the periodogram (Heidelberger and Welch 1981,
 *            "A spectral method for confidence interval generation", CACM 24:233) */
#ifndef COVERAGE_METHODS_H
#define COVERAGE_METHODS_H

#include "stats/stats.h"

enum method { METHOD_BATCH_T, METHOD_OBM, METHOD_EWC, METHOD_AR, METHOD_HW, METHODS };
extern const char *const method_names[METHODS];

struct method_limits {
	double low, high; /* in ticks; 0 and INFINITY with fewer than 8 batches */
};

struct method_limits methods_limits(enum method m, const struct stats_sample *s, double confidence);

#endif
