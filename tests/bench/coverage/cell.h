// SPDX-License-Identifier: GPL-3.0-or-later
/* A cell of the grid: what program, on what clock, how many calls. */
#ifndef COVERAGE_CELL_H
#define COVERAGE_CELL_H

#include <stdbool.h>

#include "tests/bench/coverage/law.h"

enum dependence {
	DEPENDENCE_NONE,	    /* each call begins at a phase of its own */
	DEPENDENCE_LOOP,	    /* call follows call without a gap */
	DEPENDENCE_PERIOD_QUARTER,  /* calls begin at multiples of a multiple of d/4 */
	DEPENDENCE_PERIOD_EIGHTHS,  /* ... of 3 d/8 */
	DEPENDENCE_PERIOD_GOLDEN,   /* ... of d times the golden section */
	DEPENDENCE_AR1,		    /* autocorrelated durations, own phases */
	DEPENDENCE_BURSTS,	    /* bursts of different level, own phases */
	DEPENDENCE_BURSTS_OF_LOOPS, /* the same, without gaps inside a burst */
	DEPENDENCES
};

/* And of one that only percentiles have: see percentile_program.h. */
#define DEPENDENCE_LOAD	 DEPENDENCES
#define DEPENDENCE_NAMES (DEPENDENCES + 1)
extern const char *const dependence_names[DEPENDENCE_NAMES];

#define AR1_CORRELATION 0.95 /* of successive normals of the copula */
#define BURST_SIGMA	0.7  /* of the logarithm of a burst's level */
#define BURST_CALLS	1000 /* at most; a tenth of a short run */

struct cell {
	struct law law; /* mean in ticks */
	enum dependence dependence;
	bool randomised; /* ticks last uniform(d/2, 3d/2), else d */
	uint64_t n;
};

/* Length of the period of a periodic program, in ticks: the smallest multiple of its
 * base that is longer than the mean duration. A call longer than that delays the
 * next to the next multiple. 0 for other programs. */
double cell_period(const struct cell *c);

/* Calls in one burst. */
uint64_t cell_burst(const struct cell *c);

/* Phases of a fixed tick at which calls can begin, where they are few (at most
 * CELL_POINTS) and for ever the same: one phase plus multiples of *step. 0: any phase
 * (or random ticks, to which nothing is locked). */
#define CELL_POINTS 4096
unsigned cell_points(const struct cell *c, double *step);

/* So few that no clock of fixed ticks can measure the program: they lie about as far
 * apart as the recorder's 32 bins are wide, or more. */
bool cell_is_locked(const struct cell *c);

#endif
