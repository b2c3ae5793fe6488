// SPDX-License-Identifier: GPL-3.0-or-later
/* A cost is measured in rounds: each round gives one number, the median of many
 * short batches, which interruptions hardly touch; the rounds give the mean and
 * its interval. Pure functions.
 *
 * The interval covers what differs from round to round. What is the same in all
 * rounds of one run, such as the alignment of a loop, shows only between runs.
 */
#ifndef SCPROF_COLLECTOR_CLOCKS_ROUNDS_H
#define SCPROF_COLLECTOR_CLOCKS_ROUNDS_H

#include <stddef.h>

/* Sorts. The lower of the two in the middle where there are two; NAN for none. */
double rounds_median(double *value, size_t count);

struct rounds_mean {
	double mean, low, high; /* low and high NAN: fewer than two rounds */
};

/* Student's t on independent rounds: replications_half_width. `confidence` in (0, 1). */
struct rounds_mean rounds_interval(const double *value, size_t count, double confidence);

#endif
