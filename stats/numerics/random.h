// SPDX-License-Identifier: GPL-3.0-or-later
/* The tool's pseudo-random generator: xoshiro256** (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2021), its state filled by splitmix64. Not for secrets. One
 * generator, one thread.
 *
 * The page clock draws one number per tick, so the generator must be quick, keep its own state (no
 * lock), and have no pattern with which a program could synchronise. */
#pragma once

#include <stdint.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct random {
	uint64_t state[4];
};

static inline uint64_t random_splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The same seed gives the same sequence on every machine. */
static inline void random_seed(struct random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->state[i] = random_splitmix64(&seed);
}

/* A seed from the kernel; if that fails, from the clock and the process id. */
static inline uint64_t random_fresh_seed(void)
{
	uint64_t seed;
	struct timespec now;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 30) ^ ((uint64_t)getpid() << 48);
}

static inline uint64_t random_rotate(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

/* 64 random bits. */
static inline uint64_t random_next(struct random *r)
{
	uint64_t *s = r->state;
	uint64_t result = random_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = random_rotate(s[3], 45);
	return result;
}

/* Uniform in [0, bound); bound > 0. The bias is below bound / 2^64. */
static inline uint64_t random_below(struct random *r, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_next(r) * bound) >> 64);
}
