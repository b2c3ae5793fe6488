// SPDX-License-Identifier: Apache-2.0
/* No floating point: the target's may be set to trap. */
#include "preload/overhead/overhead_stats.h"

#define RATE_BITS      16
#define RATE_MOST_BITS 35 /* a unit of half a millisecond */
#define UNITS_MOST                                                                                 \
	(UINT64_C(1) << 28) /* a round that took longer is stolen time, and no median              \
			     */

static void sort(int64_t *v, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		int64_t x = v[i];
		uint32_t k = i;
		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static int64_t middle(const int64_t *v, uint32_t count)
{
	return count % 2 ? v[count / 2] : (v[count / 2 - 1] + v[count / 2]) / 2;
}

static uint64_t square_root(uint64_t x)
{
	uint64_t root = 0;
	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

struct overhead_estimate overhead_stats_median(int64_t *v, uint32_t count)
{
	sort(v, count);
	int64_t median = middle(v, count);
	for (uint32_t i = 0; i < count; i++)
		v[i] = v[i] < median ? median - v[i] : v[i] - median;
	sort(v, count);
	/* 1.8582 = sqrt(pi / 2) * 1.4826; the root of 2^16 count has eight more bits */
	uint64_t error = (uint64_t)middle(v, count) * 18582 / 10000 * 256 /
			 square_root((uint64_t)count << 16);
	return (struct overhead_estimate){median, error ? error : 1};
}

uint64_t overhead_stats_ps(uint64_t units, uint64_t span_ns, uint64_t span_units)
{
	if (!span_units || span_ns >> 31)
		return 0;
	uint64_t rate = (span_ns * 1000 << RATE_BITS) / span_units;
	if (rate >> RATE_MOST_BITS)
		return 0;
	return (units > UNITS_MOST ? UNITS_MOST : units) * rate >> RATE_BITS;
}
