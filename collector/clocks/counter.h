// SPDX-License-Identifier: GPL-3.0-or-later
/* The processor's own counter, as the target reads it: TSC on x86-64, the virtual counter on
 * AArch64. One source file an architecture says whether it can be trusted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Runs at one rate on all CPUs, sleep states or not, and may be read here?
 * `why` gets the reason, either way. */
bool counter_is_trusted(char *why, size_t size);
