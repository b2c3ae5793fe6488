// SPDX-License-Identifier: GPL-3.0-or-later
/* Knows nothing of the tick: one loop makes calls at sixteen depths, as fast as it can,
 * for a while. Usage: asynchronous SECONDS */
#include <time.h>

#include "target.h"

#define DEPTHS 16

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = seconds() + (argc > 1 ? atof(argv[1]) : 1);
	long rounds = 0;
	int pair[2];

	make_pair(pair);
	do {
		for (int depth = 0; depth < DEPTHS; depth++)
			exchange_below(pair, depth);
		rounds++;
	} while (seconds() < end);
	expect_exchanges(rounds * DEPTHS);
	return 0;
}
