// SPDX-License-Identifier: GPL-3.0-or-later
/* A program of two states: its sleeps take SHORT or LONG microseconds and what the kernel adds, and
 * the state changes after exponential times of SOJOURN seconds on average (docs/top.md).
 *
 *   two_states SHORT LONG SOJOURN SECONDS SEED
 *
 * Prints the mean of a sleep that two states of equal length would have, in ns, from what the
 * sleeps in each of them took in this run: whichever state the run happened to be in more often. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double sum[2] = {0}, calls[2] = {0}, spent[2] = {0}, end, change, sojourn, rate[2];
	int state;

	if (argc != 6)
		return 2;
	prctl(PR_SET_TIMERSLACK, 1ul);
	srand48(atol(argv[5]));
	sojourn = atof(argv[3]);
	state = drand48() < 0.5;
	change = now() - sojourn * log(1 - drand48());
	end = now() + atof(argv[4]);
	for (double at = now(), before, after; at < end;) {
		struct timespec sleep = {0, 1000 * atol(argv[1 + state])};

		before = now();
		nanosleep(&sleep, NULL);
		after = now();
		sum[state] += after - before;
		spent[state] += after - at;
		calls[state]++;
		for (at = after; at >= change; state ^= 1)
			change -= sojourn * log(1 - drand48());
	}
	for (int i = 0; i < 2; i++)
		rate[i] = calls[i] / spent[i];
	printf("%.0f\n", 1e9 * (rate[0] * sum[0] / calls[0] + rate[1] * sum[1] / calls[1]) /
				 (rate[0] + rate[1]));
	return 0;
}
