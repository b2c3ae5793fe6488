// SPDX-License-Identifier: GPL-3.0-or-later
/* The processor's own counter, as the target reads it: TSC on x86-64, the virtual counter on
 * AArch64. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "include/scprof_format.h"

#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t counter_read(void)
{
	return __rdtsc();
}

/* After every load before it: for comparing CPUs through memory. */
static inline uint64_t counter_read_ordered(void)
{
	_mm_lfence();
	return __rdtsc();
}

static inline void counter_pause(void)
{
	_mm_pause();
}

/* Nothing that follows begins before all that precedes is done. */
static inline void counter_settle(void)
{
	_mm_lfence();
}
#elif defined(__aarch64__)
static inline uint64_t counter_read(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

static inline uint64_t counter_read_ordered(void)
{
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}

static inline void counter_pause(void)
{
	__asm__ volatile("yield");
}

static inline void counter_settle(void)
{
	__asm__ volatile("dsb sy\n\tisb" : : : "memory");
}
#else
#error "scprof knows the counters of x86-64 and AArch64 only"
#endif

static inline uint64_t counter_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A reading of a clock between two of the raw clock: of many pairings the narrowest, since the
 * others were interrupted. */
static inline struct scp_anchor counter_pair(uint64_t (*read)(void))
{
	struct scp_anchor best = {.width_ns = UINT64_MAX};

	for (int i = 0; i < 64; i++) {
		uint64_t before = counter_raw_ns(), reading = read(), after = counter_raw_ns();

		if (after - before < best.width_ns)
			best = (struct scp_anchor){reading, before + (after - before) / 2,
						   after - before};
	}
	return best;
}
