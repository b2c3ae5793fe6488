// SPDX-License-Identifier: GPL-3.0-or-later
/* units SECONDS STATUS: units of work, each of two regions, a point after each; then STATUS.
 * One at least; without SECONDS until it is ended. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "include/scprof.h"

static volatile unsigned long sum;

static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum += i;
}

__attribute__((noinline)) static void parse(void)
{
	SCPROF_BEGIN("parse");
	work(5000);
	SCPROF_END;
}

__attribute__((noinline)) static void store(void)
{
	SCPROF_BEGIN("store");
	work(2000);
	SCPROF_END;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? now() + atof(argv[1]) : 1e300;

	puts("begun");
	fflush(stdout);
	do {
		parse();
		store();
		SCPROF_POINT("unit");
	} while (now() < end);
	return argc > 2 ? atoi(argv[2]) : 0;
}
