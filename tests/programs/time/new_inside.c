// SPDX-License-Identifier: GPL-3.0-or-later
/* The region "cold" holds a recv on each of COUNT call paths, 50000 by default, for the first time;
 * "warm" holds the same calls on the same paths. Each reading of CLOCK_MONOTONIC takes 1 us, and
 * nothing else takes any time on it (given_clock.h). Usage: new_inside [COUNT] */
#include <errno.h>

#include "given_clock.h"
#include "scprof.h"
#include "target.h"

#define DEPTH 9 /* 4 call sites a level */

NOINLINE static void descend(unsigned turns, int depth)
{
	char c;

	if (depth == 0) {
		if (recv(-1, &c, 1, 0) >= 0 || errno != EBADF)
			die("recv");
	} else if ((turns & 3) == 0) {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 0" ::: "memory");
	} else if ((turns & 3) == 1) {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 1" ::: "memory");
	} else if ((turns & 3) == 2) {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 2" ::: "memory");
	} else {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 3" ::: "memory");
	}
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 50000;

	given_step = 1000;
	for (int warm = 0; warm < 2; warm++) {
		if (warm)
			SCPROF_BEGIN("warm");
		else
			SCPROF_BEGIN("cold");
		for (unsigned i = 0; i < count; i++)
			descend(i, DEPTH);
		SCPROF_END;
	}
	return 0;
}
