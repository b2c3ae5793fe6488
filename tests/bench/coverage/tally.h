// SPDX-License-Identifier: GPL-3.0-or-later
/* Distribution of the tick counts of one call as a list of cells: single counts
 * where they are few, ranges of counts in the tail. Inside a range the count follows
 * a power law between the range's two survival values, so the whole is a
 * distribution of its own, whose moments are summed from the cells. */
#ifndef COVERAGE_TALLY_H
#define COVERAGE_TALLY_H

#include <stdbool.h>

#include "tests/bench/coverage/law.h"
#include "tests/bench/coverage/recorder.h"

#define TALLY_CELLS 512

struct tally_cell {
	double p;
	uint64_t first, end;  /* counts first .. end - 1 */
	double above, beyond; /* P(C >= first), P(C >= end) */
	double power;	      /* P(C >= c) = above (c / first)^-power */
	double mean, var, square;
};

struct tally {
	struct tally_cell cell[TALLY_CELLS];
	unsigned cells;
	double mean, var;
	double rest[TALLY_CELLS];    /* probability of cell i and all after it */
	double alias_p[TALLY_CELLS]; /* Walker's alias method */
	unsigned alias[TALLY_CELLS];
};

/* P(C >= k) as a function. */
typedef double tally_survival(const void *of, uint64_t k);

/* `singles`: counts below it get cells of their own, from there on ranges. */
void tally_build(struct tally *t, tally_survival *survival, const void *of, uint64_t singles);

/* Sum, sum of squares, smallest and largest of n counts. */
struct tally_total {
	uint64_t sum;
	stats_u128 sum_sq;
	uint64_t min, max;
};

/* Draw n independent counts, added to the total. */
void tally_draw(const struct tally *t, struct dice *d, uint64_t n, struct tally_total *total);

/* Rough time of that. */
double tally_cost_ns(const struct tally *t, uint64_t n);

#endif
