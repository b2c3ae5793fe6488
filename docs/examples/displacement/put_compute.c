// SPDX-License-Identifier: GPL-3.0-or-later
/* Computation that takes a known time: the paper's "calibrated spin loop". Its turns
 * depend on one another, so that neither compiler nor CPU can shorten them. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "put.h"

#define STRETCHES     40
#define STRETCH_TURNS 500000

void put_spin(uint64_t turns)
{
	uint64_t x = turns;

	for (uint64_t i = 0; i < turns; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double put_now(void)
{
	return seconds(CLOCK_MONOTONIC_RAW);
}

/* Interrupts only ever make a stretch longer, and the thread's CPU clock leaves out what
 * others and the host take: the fastest is the loop alone. */
double put_rate(void)
{
	double fastest = 1e9;

	for (int i = 0; i < STRETCHES; i++) {
		double began = seconds(CLOCK_THREAD_CPUTIME_ID), took;

		put_spin(STRETCH_TURNS);
		took = seconds(CLOCK_THREAD_CPUTIME_ID) - began;
		fastest = took < fastest ? took : fastest;
	}
	return STRETCH_TURNS / (fastest * 1e6);
}

uint64_t put_turns(const struct put_options *o)
{
	if (o->compute_us <= 0)
		return 0;
	return (uint64_t)(o->compute_us * (o->rate > 0 ? o->rate : put_rate()));
}

void put_pause(const struct put_options *o)
{
	long long ns = (long long)(o->pause_us * 1e3);
	struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	if (ns > 0)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

void put_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		put_fail("cannot run on CPU %d: %s", cpu, strerror(errno));
}
