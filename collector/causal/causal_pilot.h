// SPDX-License-Identifier: GPL-3.0-or-later
/* What the pilot, in which nothing is delayed, says of the windows' length and the sites. Pure. */
#ifndef SCPROF_COLLECTOR_CAUSAL_CAUSAL_PILOT_H
#define SCPROF_COLLECTOR_CAUSAL_CAUSAL_PILOT_H

#include <stddef.h>

#include "collector/causal/causal.h"

#define CAUSAL_PILOT_READING_S 0.01
#define CAUSAL_PILOT_READINGS  4096  /* most that are kept */
#define CAUSAL_PILOT_UNITS     100.0 /* of progress in a window, on average */
#define CAUSAL_PILOT_WINDOWS   200.0 /* in an experiment, where that takes fewer units */
#define CAUSAL_PILOT_FOR_S     60.0  /* an experiment's length that is not known before */
#define CAUSAL_PILOT_LONGEST_S 5.0

/* Readings in a row: how long each was, and what completed in it. */
struct causal_pilot_series {
	double time[CAUSAL_PILOT_READINGS], progress[CAUSAL_PILOT_READINGS];
	size_t count;
};

/* The rate of progress a second; 0: none. */
double causal_pilot_rate(const struct causal_pilot_series *s);

/* The length of windows, in seconds. A slope's variance after a given time is as the variance of
 * time - progress / rate over windows, divided by their length: counting units at the edges makes
 * short windows bad, slow changes make long ones bad. `unit_s`: what a unit takes from its
 * beginning to its end, 0: not known; a window is ten of these at least. `for_s`: the experiment's
 * length, INFINITY: not known.
 *
 * A unit that a delay holds up beyond a window's edge is missing there, though it is not lost: in
 * an open loop, whose throughput no delay changes, windows of 20, 30, 60 and 150 units gave slopes
 * of 0.25, 0.15, 0.06 and 0. */
double causal_pilot_window(const struct causal_pilot_series *s, double unit_s, double for_s);

/* Keep those that are wanted and called often enough for windows of this length, the longest and
 * then the most frequent first, `most` of them. Returns how many; *left_out: how many the limit
 * cost.
 */
size_t causal_pilot_choose(struct causal_candidate *c, size_t count, double window_s, size_t most,
			   size_t *left_out);

#endif
