// SPDX-License-Identifier: GPL-3.0-or-later
#include <math.h>

#include "stats/mean/unbatched.h"

/* Student's t with so many degrees of freedom is as far from the mean of one stretch as Poisson's
 * limit is from one event: 4.3 against 4.6 at 95 %. */
#define LEAST_FREEDOM 2
#define ROUNDING      1e-12

static struct stats_apart one_stretch(double calls, double time)
{
	return (struct stats_apart){1, calls * calls, calls * time, time * time};
}

/* Kish's effective number of stretches, each weighed by its time, or by that and the time that its
 * calls take on average, so that one that is far off either way counts alone. */
static double effective_stretches(const struct stats_apart *a, double calls, double time,
				  double mean)
{
	double both = time + mean * calls;
	double squares = a->sum_sq + 2 * mean * a->calls_sum + mean * mean * a->calls_sq;

	return fmin(time * time / a->sum_sq, both * both / squares);
}

double unbatched_estimate(const struct stats_sample *s, double each, double ends, double *freedom)
{
	const struct stats_batches *b = &s->batches;
	double n = (double)s->sums.n, calls = n - (double)b->calls * b->count;
	double mean = (double)s->sums.sum / n, time = (double)s->sums.sum, squares, excess;
	struct stats_apart a = s->apart;

	*freedom = INFINITY;
	for (uint32_t i = 0; i < b->count; i++)
		time -= (double)(int64_t)b->sum[i];
	if (!(calls >= 1))
		return 0;
	if (!(a.stretches >= 1))
		a = one_stretch(calls, time);
	squares = a.sum_sq - 2 * mean * a.calls_sum + mean * mean * a.calls_sq;
	excess = squares - calls * each - a.stretches * ends;
	if (!(excess > ROUNDING * (a.sum_sq + mean * mean * a.calls_sq)) || !isfinite(excess))
		return 0;
	*freedom = fmax(LEAST_FREEDOM, effective_stretches(&a, calls, time, mean));
	return excess;
}
