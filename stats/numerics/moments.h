// SPDX-License-Identifier: GPL-3.0-or-later
/* Centred second moments from exact integer sums, without cancellation.
 *
 * sum_sq - sum^2 / n subtracts two nearly equal numbers of up to 192 bits. With sum = n q + r (0 <=
 * r < n) the integers can be centred on q instead:
 *   S = sum (x - q)^2 = sum_sq - q (sum + r),           exact in 128 bits,
 *   sum (x - mean)^2 = S - r^2 / n = (S - r) + r (n - r) / n.
 * For integers S >= |sum (x - q)| = r, so both terms are non-negative and the only rounding is that
 * of the conversion to floating point. q (sum + r) is at most sum_sq when the sums are of real
 * numbers, so it fits as well. */
#pragma once

#include "stats/stats.h"

/* Sum of (x - mean)^2. n > 0. -1 where the sums cannot belong to n integers. */
static inline double moments_square(uint64_t n, uint64_t sum, stats_u128 sum_sq)
{
	uint64_t q = sum / n, r = sum % n;
	stats_u128 taken, s;

	if (__builtin_mul_overflow((stats_u128)q, (stats_u128)sum + r, &taken) || taken > sum_sq)
		return -1;
	s = sum_sq - taken;
	if (s < r)
		return -1;
	return (double)((long double)(s - r) + (long double)r * (long double)(n - r) / n);
}
