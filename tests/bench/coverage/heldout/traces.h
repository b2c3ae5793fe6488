// SPDX-License-Identifier: GPL-3.0-or-later
/* Real programs' durations as laws: traces of tests/bench/coverage/traces/record.py. Each is a
 * circle, so the true mean is the trace's. */
#ifndef COVERAGE_HELDOUT_TRACES_H
#define COVERAGE_HELDOUT_TRACES_H

#include "tests/bench/coverage/heldout/stream.h"

#define TRACES_MOST 32

/* The files NAME.ticks of a folder, sorted by name, as two laws each: "NAME/stretch", contiguous
 * calls from a random one on, for runs of up to half the trace; "NAME/blocks", the stationary
 * bootstrap (Politis and Romano 1994, "The Stationary Bootstrap", J. Am. Stat. Assoc. 89:1303):
 * blocks of geometric lengths from random calls on, for any run. Their number; -1: the folder or a
 * file cannot be read, with a line on standard error. The laws stay until the program ends. */
int traces_load(const char *folder, struct stream_law law[2 * TRACES_MOST]);

/* Whether a run of n calls can be made of it. */
bool traces_reach(const struct stream_law *law, uint64_t n);

/* A law of `count` durations; for tests. `blocks`: their mean length in calls, 0: contiguous. */
struct trace {
	char name[64];
	const uint64_t *ticks;
	uint64_t count;
	double mean;
};
struct stream_law traces_law(const struct trace *t, const char *name, double blocks);

#endif
