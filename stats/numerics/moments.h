// SPDX-License-Identifier: GPL-3.0-or-later
/* Centred second moments from exact integer sums; and the variance that they give. */
#ifndef SCPROF_STATS_NUMERICS_MOMENTS_H
#define SCPROF_STATS_NUMERICS_MOMENTS_H

#include "stats/stats.h"

/* Sum of (x - mean)^2. n > 0. -1 where the sums cannot belong to n integers. */
double moments_square(uint64_t n, uint64_t sum, stats_u128 sum_sq);

/* Sample variance (divisor n - 1), in units of `unit` squared, from the exact
 * integer sums. NAN for n < 2; 0 where the sums contradict each other. */
double moments_variance(const struct stats_sums *s);

#endif
