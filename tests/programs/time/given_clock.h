// SPDX-License-Identifier: GPL-3.0-or-later
/* A clock that the program gives: an executable's clock_gettime comes before libc's, also for
 * libscprof.so. What a test says about durations and places in the tick is then the same on every
 * machine, however busy. CLOCK_MONOTONIC and its coarse sister are given, the others are real.
 * Included by one source of a program, which records by `-c monotonic`, `coarse`. */
#ifndef GIVEN_CLOCK_H
#define GIVEN_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t given_ns = UINT64_C(1000000000000);
static uint64_t given_step; /* from one reading of CLOCK_MONOTONIC to the next */

static uint64_t given_tick_ns(void)
{
	struct timespec resolution;

	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	return (uint64_t)resolution.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t ns = given_ns;

	if (clock == CLOCK_MONOTONIC_COARSE)
		ns -= ns % given_tick_ns();
	else if (clock == CLOCK_MONOTONIC)
		ns = given_ns += given_step;
	else
		return (int)syscall(SYS_clock_gettime, clock, t);
	t->tv_sec = (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

static uint64_t given_seed;

/* Of a linear congruential generator (Knuth's MMIX): below n. */
static inline uint64_t given_random(uint64_t n)
{
	given_seed = given_seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (given_seed >> 33) % n;
}

#endif
