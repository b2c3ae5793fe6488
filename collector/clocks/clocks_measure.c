// SPDX-License-Identifier: GPL-3.0-or-later
/* What one reading costs, and the smallest step that readings show. */
#include <stdlib.h>

#include "collector/clocks/clocks_private.h"

#define BATCHES	       101
#define READS_A_BATCH  256
#define READS_A_LOOK   64
#define ENOUGH_STEPS   8
#define INTERRUPTED_NS UINT64_C(1000000)
#define PATIENCE_NS    UINT64_C(2000000000)

static uint64_t read_nothing(void)
{
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median: interrupts and preemption only ever make a batch longer. */
static double median_batch_ns(clock_reader *read)
{
	double cost[BATCHES];

	for (int b = 0; b < BATCHES; b++) {
		uint64_t from = clocks_read_raw_ns();

		for (int i = 0; i < READS_A_BATCH; i++)
			read();
		cost[b] = (double)(clocks_read_raw_ns() - from) / READS_A_BATCH;
	}
	qsort(cost, BATCHES, sizeof(*cost), compare);
	return cost[BATCHES / 2];
}

double clocks_measure_read_cost_ns(clock_reader *read)
{
	/* the same loop, call and bracketing readings without a clock in it */
	return median_batch_ns(read) - median_batch_ns(read_nothing);
}

/* Other work may keep us waiting for all of wait_s: then no step is seen, or only one that
 * spans many. Time in which we were kept from looking does not count. */
uint64_t clocks_measure_smallest_step(clock_reader *read, double wait_s)
{
	uint64_t wait_ns = (uint64_t)(wait_s * 1e9), smallest = 0, last = read();
	uint64_t begun = clocks_read_raw_ns(), raw = begun, before, looked_ns = 0;
	unsigned int steps = 0;

	for (unsigned int i = 1;; i++) {
		uint64_t now = read();

		if (now > last) {
			/* the first step may have begun before we looked */
			if (steps && (!smallest || now - last < smallest))
				smallest = now - last;
			steps++;
		}
		last = now;
		if (i % READS_A_LOOK)
			continue;
		before = raw;
		raw = clocks_read_raw_ns();
		looked_ns += raw - before < INTERRUPTED_NS ? raw - before : 0;
		if (looked_ns >= wait_ns || raw - begun >= wait_ns + PATIENCE_NS ||
		    (raw - begun >= wait_ns && steps > ENOUGH_STEPS))
			return smallest;
	}
}
