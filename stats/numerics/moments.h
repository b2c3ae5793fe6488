// SPDX-License-Identifier: GPL-3.0-or-later
/* Centred second moments from exact integer sums. */
#ifndef SCPROF_STATS_NUMERICS_MOMENTS_H
#define SCPROF_STATS_NUMERICS_MOMENTS_H

#include "stats/stats.h"

/* Sum of (x - mean)^2. n > 0. -1 where the sums cannot belong to n integers. */
double moments_square(uint64_t n, uint64_t sum, stats_u128 sum_sq);

/* Sum of (x - mean_x)(y - mean_y). n > 0. */
double moments_product(uint64_t n, uint64_t sum_x, uint64_t sum_y, stats_u128 sum_xy);

#endif
