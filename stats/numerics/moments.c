// SPDX-License-Identifier: GPL-3.0-or-later
/* Centred second moments without cancellation.
 *
 * sum_sq - sum^2 / n subtracts two nearly equal numbers of up to 192 bits. With
 * sum = n q + r (0 <= r < n) the integers can be centred on q instead:
 *   S = sum (x - q)^2 = sum_sq - q (sum + r),           exact in 128 bits,
 *   sum (x - mean)^2 = S - r^2 / n = (S - r) + r (n - r) / n.
 * For integers S >= |sum (x - q)| = r, so both terms are non-negative and the
 * only rounding is that of the conversion to floating point. q (sum + r) is at
 * most sum_sq when the sums are of real numbers, so it fits as well.
 */
#include <math.h>

#include "stats/numerics/moments.h"

double moments_square(uint64_t n, uint64_t sum, stats_u128 sum_sq)
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

/* The same for a product: with sum_x = n a + r and sum_y = n b + t,
 *   sum (x - a)(y - b) = sum_xy - a sum_y - b r,
 * a signed number that is far smaller than its parts: modulo 2^128 it is right even where the parts
 * overflow. */
double moments_product(uint64_t n, uint64_t sum_x, uint64_t sum_y, stats_u128 sum_xy)
{
	uint64_t a = sum_x / n, r = sum_x % n;
	uint64_t b = sum_y / n, t = sum_y % n;
	__int128 s = (__int128)(sum_xy - (stats_u128)a * sum_y - (stats_u128)b * r);

	return (double)((long double)s - (long double)r * (long double)t / n);
}
