// SPDX-License-Identifier: GPL-3.0-or-later
/* Buckets and quantiles of a log-linear histogram.
 *
 * Eight buckets an octave: a quantile is right to 1/8 of its value at worst,
 * usually much better by the interpolation inside the bucket.
 */
#include <math.h>

#include "stats/histogram/histogram.h"
#include "stats/stats.h"

double histogram_start(uint32_t i)
{
	if (i < 8)
		return i;
	return ldexp(8 + i % 8, (int)(i / 8) - 1);
}

uint32_t histogram_bucket(uint64_t value)
{
	uint32_t e;

	if (value < 8)
		return (uint32_t)value;
	e = 63 - (uint32_t)__builtin_clzll(value);
	return (e - 2) * 8 + (uint32_t)((value >> (e - 3)) & 7);
}

double histogram_quantile(const uint64_t *count, uint32_t buckets, double q)
{
	double total = 0, before = 0, rank;
	uint32_t last = 0;

	for (uint32_t i = 0; i < buckets; i++) {
		total += (double)count[i];
		if (count[i])
			last = i;
	}
	if (total == 0 || isnan(q))
		return NAN;
	rank = fmin(fmax(q, 0), 1) * total;
	for (uint32_t i = 0; i < last; i++) {
		double c = (double)count[i];

		if (count[i] && before + c >= rank) {
			double start = histogram_start(i);

			return start + (histogram_start(i + 1) - start) * (rank - before) / c;
		}
		before += c;
	}
	return histogram_start(last) + (histogram_start(last + 1) - histogram_start(last)) *
					       fmin((rank - before) / (double)count[last], 1);
}
