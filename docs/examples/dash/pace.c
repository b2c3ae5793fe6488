// SPDX-License-Identifier: GPL-3.0-or-later
/* Busy until so much time has passed. A count of steps would follow the processor's speed, which on
 * shared hardware differs by a third from one replication to the next; the Sun's did not. */
#include "pace.h"

#include <stdint.h>
#include <time.h>

/* Means in microseconds, by the point that begins the interval: Table 17b. */
static const double paper_us[13] = {0, 1193, 83, 184, 1200, 87, 144, 1190, 88, 180, 961, 85, 292};

static uint64_t duration_ns[13];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void pace_begin(double pace)
{
	for (unsigned point = 1; point <= 12; point++)
		duration_ns[point] = (uint64_t)(paper_us[point] * 1000 * pace);
}

void pace_fill(unsigned point)
{
	if (!duration_ns[point])
		return;
	for (uint64_t from = now_ns(); now_ns() - from < duration_ns[point];)
		;
}
