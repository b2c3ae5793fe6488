// SPDX-License-Identifier: GPL-3.0-or-later
/* What a sample's sums say directly: its variance, and how likely a count is. */
#include <math.h>

#include "stats/moments.h"
#include "stats/distributions.h"

double sample_variance(const struct stats_sums *s)
{
	double square;

	if (s->n < 2)
		return NAN;
	square = moments_square(s->n, s->sum, s->sum_sq);
	if (square < 0)
		return 0;
	return square / (double)(s->n - 1) * s->unit * s->unit;
}

double sample_at_least(uint32_t k, uint32_t n, double p)
{
	return k ? distributions_binomial_upper(k - 1, p, n) : 1;
}
