// SPDX-License-Identifier: GPL-3.0-or-later
/* The generator behind GSL's interface, and the few distributions that need a word
 * more than GSL's functions. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "tests/bench/coverage/dice.h"
#include "stats/numerics/random.h"

static unsigned long gsl_bits(void *state)
{
	return (unsigned long)(dice_bits(state) >> 32);
}

static double gsl_unit(void *state)
{
	return dice_unit(state);
}

static void gsl_seed(void *state, unsigned long seed)
{
	(void)state;
	(void)seed;
}

/* `state` is the first member, hence the object itself. */
static const gsl_rng_type dice_type = {"dice",	 0xffffffffUL, 0,	sizeof(struct dice),
				       gsl_seed, gsl_bits,     gsl_unit};

void dice_seed(struct dice *d, uint64_t seed)
{
	struct random r;

	random_seed(&r, seed);
	memcpy(d->state, r.state, sizeof(d->state));
	d->gsl.type = &dice_type;
	d->gsl.state = d;
}

double dice_normal(struct dice *d)
{
	return gsl_ran_gaussian_ziggurat(&d->gsl, 1);
}

uint64_t dice_binomial(struct dice *d, double p, uint64_t n)
{
	if (n == 0 || p <= 0)
		return 0;
	if (p >= 1)
		return n;
	if (n < UINT32_MAX)
		return gsl_ran_binomial(&d->gsl, p, (unsigned)n);
	return (uint64_t)fmin(
		(double)n,
		fmax(0, nearbyint((double)n * p + dice_normal(d) * sqrt((double)n * p * (1 - p)))));
}

void dice_scatter(struct dice *d, uint64_t n, uint64_t *count, unsigned cells)
{
	if (n < 8 * cells) {
		for (; n; n--)
			count[dice_below(d, cells)]++;
		return;
	}
	for (unsigned i = 0; i < cells; i++) {
		uint64_t k = dice_binomial(d, 1.0 / (cells - i), n);

		count[i] += k;
		n -= k;
	}
}
