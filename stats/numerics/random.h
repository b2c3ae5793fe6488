// SPDX-License-Identifier: GPL-3.0-or-later
/* The tool's pseudo-random generator: xoshiro256** (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2021), its state filled by splitmix64. Not for secrets. One
 * generator, one thread. */
#pragma once

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* The same seed gives the same sequence on every machine. */
void random_seed(struct random *r, uint64_t seed);

/* A seed from the kernel; if that fails, from the clock and the process id. */
uint64_t random_fresh_seed(void);

/* 64 random bits. */
uint64_t random_next(struct random *r);

/* Uniform in [0, bound); bound > 0. The bias is below bound / 2^64. */
uint64_t random_below(struct random *r, uint64_t bound);
