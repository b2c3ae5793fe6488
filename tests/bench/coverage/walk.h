// SPDX-License-Identifier: GPL-3.0-or-later
/* A simulated program, call by call, and the clock it reads. */
#ifndef COVERAGE_WALK_H
#define COVERAGE_WALK_H

#include "tests/bench/coverage/source.h"

/* A clock of random ticks, read at ever later instants. */
struct wall {
	double next; /* instant of the next tick */
	uint64_t ticks;
};

struct walk {
	const struct cell *cell;
	struct dice *dice;
	double period;
	double at;	 /* where the present call begins; phase 0 is a tick of a fixed clock */
	double duration; /* of the last call */
	double z;	 /* AR(1) */
	double level;	 /* of this burst */
	uint64_t burst, left;
	struct wall wall;
};

void walk_begin(struct walk *w, const struct cell *c, struct dice *d);

/* One call; returns its ticks. */
uint64_t walk_call(struct walk *w);

/* Cross the gap between two bursts if the next call follows one: `at` is then where
 * that call begins. */
void walk_enter_burst(struct walk *w);

/* Whether `at` means anything: phases of calls depend on each other. */
bool walk_tells_time(const struct cell *c);

/* Number of ticks in an interval of length t that begins anywhere. */
uint64_t walk_fixed_ticks(double t, struct dice *d);
uint64_t walk_random_ticks(double t, struct dice *d);

/* Start a clock of random ticks at an instant; advance it and return its ticks. */
void wall_begin(struct wall *w, double at, struct dice *d);
uint64_t wall_read(struct wall *w, double at, struct dice *d);

#endif
