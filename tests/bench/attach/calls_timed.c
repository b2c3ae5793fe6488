// SPDX-License-Identifier: GPL-3.0-or-later
/* Makes calls of send that fail at once, below 15 frames, each time that it is told how many: a
 * line of standard input is a number of calls, a line of standard output the nanoseconds that one
 * took. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static double below(int depth, long calls)
{
	double began, result;

	if (depth > 0) {
		result = below(depth - 1, calls);
		__asm__ volatile("" ::: "memory");
		return result;
	}
	began = seconds_now();
	for (long i = 0; i < calls; i++)
		send(-1, NULL, 0, 0);
	return (seconds_now() - began) * 1e9 / (double)calls;
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof line, stdin)) {
		printf("%.3f\n", below(14, atol(line)));
		fflush(stdout);
	}
	return 0;
}
