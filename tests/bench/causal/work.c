// SPDX-License-Identifier: GPL-3.0-or-later
/* A library, so that `-s` reaches its functions; within the program where Coz is to see its lines.
 * Each function has a line of its own, which is what Coz tells apart. */
#include <time.h>

#include "tests/bench/causal/work.h"

#define WORK(name)                                                                                 \
	__attribute__((noinline)) void work_##name(uint64_t steps)                                 \
	{                                                                                          \
		uint64_t x = steps;                                                                \
                                                                                                   \
		for (uint64_t i = 0; i < steps; i++) {                                             \
			x *= 0x9e3779b97f4a7c15u;                                                  \
			__asm__ volatile("" : "+r"(x));                                            \
		}                                                                                  \
	}

WORK(a)
WORK(b)
WORK(c)
WORK(d)

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double work_steps_us(void)
{
	enum { TRIES = 200, STEPS = 200000 };
	double least = 1;

	for (int i = 0; i < TRIES; i++) {
		double from = seconds(), took;

		work_d(STEPS);
		took = seconds() - from;
		if (took < least)
			least = took;
	}
	return STEPS / (least * 1e6);
}
