// SPDX-License-Identifier: GPL-3.0-or-later
/* The smallest step between readings of a clock, and its rate. */
#include "collector/clocks/clocks_read.h"

#include <unistd.h>

#define READS_A_LOOK   64
#define ENOUGH_STEPS   8
#define INTERRUPTED_NS UINT64_C(1000000)
#define PAIR_TRIES     64
#define PATIENCE_NS    UINT64_C(2000000000)

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

struct clock_pair clocks_measure_pair(clock_reader *read)
{
	struct clock_pair best = {.width_ns = UINT64_MAX};

	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = clocks_read_raw_ns(), reading = read(),
			 after = clocks_read_raw_ns();

		if (after - before < best.width_ns)
			best = (struct clock_pair){reading, before + (after - before) / 2,
						   after - before};
	}
	return best;
}

double clocks_measure_rate_for(clock_reader *read, unsigned us, struct clock_pair *from)
{
	struct clock_pair to;
	double error;

	*from = clocks_measure_pair(read);
	usleep(us);
	to = clocks_measure_pair(read);
	return clocks_measure_rate(from, &to, &error);
}

double clocks_measure_rate(const struct clock_pair *a, const struct clock_pair *b, double *error)
{
	double elapsed_ns = (double)(b->raw_ns - a->raw_ns);

	*error = (double)(a->width_ns + b->width_ns) / 2 / elapsed_ns;
	return (double)(b->reading - a->reading) / elapsed_ns;
}
