// SPDX-License-Identifier: GPL-3.0-or-later
/* What the markers of scprof.h cost, with and without the library: run it both ways. Of each kind
 * the best of many short rounds, in turn: an interruption, or a host that steals, spoils a
 * few of them. What the loop and the call of its body cost is subtracted. Usage: markers [ROUNDS]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "include/scprof.h"

#define LOOPS 50000u

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define BARRIER() __asm__ volatile("" ::: "memory")

static void nothing(void)
{
	BARRIER();
}

static void region(void)
{
	SCPROF_BEGIN("region");
	BARRIER();
	SCPROF_END;
}

static void scope(void)
{
	SCPROF_SCOPE("scope");
	BARRIER();
}

static void point(void)
{
	SCPROF_POINT("point");
}

static void read_clock(void)
{
#ifdef __x86_64__
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
#else
	uint64_t now;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
#endif
}

/* One round, ns a call. */
static double time_one(void (*volatile body)(void))
{
	double start = now_ns();

	for (unsigned i = 0; i < LOOPS; i++)
		body();
	return (now_ns() - start) / LOOPS;
}

/* The same inside a region. */
static double time_inside(void (*body)(void))
{
	SCPROF_SCOPE("around");
	return time_one(body);
}

int main(int argc, char **argv)
{
	static void (*const body[])(void) = {nothing, read_clock, region, scope, point, region};
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
	double best[6] = {1e300, 1e300, 1e300, 1e300, 1e300, 1e300};

	for (unsigned r = 0; r < rounds; r++)
		for (unsigned i = 0; i < 6; i++) {
			double ns = i < 5 ? time_one(body[i]) : time_inside(body[i]);

			SCPROF_POINT_STOP;
			best[i] = ns < best[i] ? ns : best[i];
		}
	for (unsigned i = 1; i < 6; i++)
		best[i] -= best[0];
	printf("one reading of the counter  %6.2f ns\n", best[1]);
	printf("BEGIN and END               %6.2f ns, with two readings less %.2f\n", best[2],
	       best[2] - 2 * best[1]);
	printf("SCOPE                       %6.2f ns, with two readings less %.2f\n", best[3],
	       best[3] - 2 * best[1]);
	printf("BEGIN and END, nested       %6.2f ns, with two readings less %.2f\n", best[5],
	       best[5] - 2 * best[1]);
	printf("POINT                       %6.2f ns, with one reading less %.2f\n", best[4],
	       best[4] - best[1]);
	return 0;
}
