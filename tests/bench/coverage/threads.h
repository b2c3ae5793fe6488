// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs of one long thread and many short ones, whose calls are mostly in no batch.
 *
 * Each thread is recorded for itself, and the threads are added up by sums_add, as a report
 * does it: what mean_interval_estimate then gets is what it gets of a real program. */
#ifndef COVERAGE_THREADS_H
#define COVERAGE_THREADS_H

#include <stdio.h>

#include "tests/bench/coverage/score.h"

enum threads_kind {
	THREADS_ALIKE,	/* all calls follow one law */
	THREADS_LEVELS, /* each short thread has a level of its own: lognormal, sigma 0.7 */
	THREADS_SLOW,	/* calls of short threads take 20 times as long */
	THREADS_RARE,	/* one short thread in 20 takes 100 times as long */
	THREADS_KINDS
};

extern const char *const threads_names[THREADS_KINDS];

struct threads_program {
	enum threads_kind kind;
	bool random;		 /* a Poisson number of short threads, else always as many */
	double mean;		 /* of a call of the long thread, ticks; exponential */
	uint64_t long_calls;	 /* 0: no long thread */
	uint64_t threads, calls; /* short threads, on average; calls of each */
};

/* Replications come from source->draw; NULL when out of memory. free() it. */
struct source *threads_create(const struct threads_program *p);

/* The share of calls that were in no batch in the last draw. */
double threads_outside(const struct source *s);

/* All programs of the scenario, `replications` each, as CSV. 0, or -1: out of memory. */
int threads_report(FILE *f, uint64_t replications);

#endif
