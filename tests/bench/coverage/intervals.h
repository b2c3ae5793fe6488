// SPDX-License-Identifier: GPL-3.0-or-later
/* The binomial intervals side by side: which of them the rule in stats/mean/mean_interval.c is
 * to use for few ticks. */
#ifndef COVERAGE_INTERVALS_H
#define COVERAGE_INTERVALS_H

#include <stdio.h>

#include "tests/bench/coverage/score.h"

#define INTERVALS 5

struct interval_method {
	const char *name;
	void (*limits)(double x, double n, double confidence, double *low, double *high);
};

extern const struct interval_method interval_methods[INTERVALS];

/* Independent calls of a tick or none, by summing over all outcomes: one CSV line for
 * each number of calls, band of expected ticks and interval. No simulation, no error. */
void intervals_exact(FILE *f);

/* The rule with each of the intervals in the place of its own, over replications of
 * one cell. Where the rule does not use the binomial, its interval counts for all. */
struct intervals_score {
	struct cell cell;
	uint64_t replications, binomial; /* in so many the rule used it */
	uint64_t differs;		 /* ... and was not reproduced here */
	uint64_t covered[INTERVALS], warned;
	double width[INTERVALS]; /* mean, over the oracle's */
};

void intervals_simulate(struct intervals_score *s, struct source *source, uint64_t replications,
			struct dice *d);

/* One CSV line for each dependence and interval; cells of fewer than half binomial
 * replications, or locked to the tick, are left out. */
void intervals_print(FILE *f, const struct intervals_score *s, size_t count);

#endif
