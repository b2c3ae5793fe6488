// SPDX-License-Identifier: GPL-3.0-or-later
/* A loop of so many steps, and how many steps a microsecond holds. The best of several trials
 * counts: others may have had the CPU in the rest. */
#include "pace.h"

#include <stdint.h>
#include <time.h>

#define TRIALS	    40
#define TRIAL_STEPS 20000u

/* Means in microseconds, by the point that begins the interval: Table 17b. */
static const double paper_us[13] = {0, 1193, 83, 184, 1200, 87, 144, 1190, 88, 180, 961, 85, 292};

static uint64_t steps[13];

/* One copy: how fast a loop is depends on where it lies. */
static __attribute__((noinline)) void spin(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("");
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

void pace_begin(double pace)
{
	double best_us = 1e9;

	if (pace <= 0)
		return;
	for (int i = 0; i < TRIALS; i++) {
		double from = now_us(), took;

		spin(TRIAL_STEPS);
		took = now_us() - from;
		if (took > 0 && took < best_us)
			best_us = took;
	}
	for (unsigned point = 1; point <= 12; point++)
		steps[point] = (uint64_t)(paper_us[point] * pace / best_us * TRIAL_STEPS);
}

void pace_fill(unsigned point)
{
	if (steps[point])
		spin(steps[point]);
}
