// SPDX-License-Identifier: GPL-3.0-or-later
/* The cost of a reading, the smallest step of a clock, and its rate. */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCKS_MEASURE_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCKS_MEASURE_H

#include "collector/clocks/clocks_read.h"

double clocks_measure_read_cost_ns(clock_reader *read); /* roughly and at once; with its call */
/* Looks for wait_s; on a busy machine until it could look that long, or saw several steps,
 * for two seconds more at most. 0: it did not move. */
uint64_t clocks_measure_smallest_step(clock_reader *read, double wait_s);

/* A reading and the raw clock, taken together: the reading was
 * taken at raw_ns, give or take width_ns / 2. */
struct clock_pair {
	uint64_t reading, raw_ns, width_ns;
};
struct clock_pair clocks_measure_pair(clock_reader *read); /* the narrowest of several */
/* Units per nanosecond between two pairs, and the bound of its relative error. */
double clocks_measure_rate(const struct clock_pair *a, const struct clock_pair *b, double *error);

#endif
