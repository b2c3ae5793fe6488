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

double moments_variance(const struct stats_sums *s)
{
	double square;

	if (s->n < 2)
		return NAN;
	square = moments_square(s->n, s->sum, s->sum_sq);
	if (square < 0)
		return 0;
	return square / (double)(s->n - 1) * s->unit * s->unit;
}
