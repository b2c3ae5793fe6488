// SPDX-License-Identifier: GPL-3.0-or-later
/* Random numbers of the study: xoshiro256++ (Blackman and Vigna, 2021) inlined where calls are
 * drawn one by one, and the same generator behind GSL's interface for GSL's distributions. One
 * object a thread; the seed decides everything. */
#ifndef COVERAGE_DICE_H
#define COVERAGE_DICE_H

#include <stdint.h>

#include <gsl/gsl_rng.h>

struct dice {
	uint64_t state[4];
	gsl_rng gsl; /* draws from `state` */
};

void dice_seed(struct dice *d, uint64_t seed);

static inline uint64_t dice_bits(struct dice *d)
{
	uint64_t *s = d->state;
	uint64_t sum = s[0] + s[3], result = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

/* Uniform in the open interval (0, 1). */
static inline double dice_unit(struct dice *d)
{
	return ((double)(dice_bits(d) >> 12) + 0.5) * 0x1p-52;
}

/* Uniform in [0, bound), bound > 0 and below 2^32. */
static inline uint64_t dice_below(struct dice *d, uint64_t bound)
{
	return (dice_bits(d) >> 32) * bound >> 32;
}

/* Standard normal. */
double dice_normal(struct dice *d);

/* Binomial: successes among n trials of probability p; n may exceed 32 bits, p may
 * lie outside [0, 1] by rounding. */
uint64_t dice_binomial(struct dice *d, double p, uint64_t n);

/* n balls into `cells` equally likely cells, added to `count`. */
void dice_scatter(struct dice *d, uint64_t n, uint64_t *count, unsigned cells);

#endif
