// SPDX-License-Identifier: GPL-3.0-or-later
/* When a mean is known well enough to stop measuring it.
 *
 * Looking at an interval again and again until it is narrow enough stops too early too often: where
 * the scatter happens to look small, the interval is narrow and wrong. As the wanted width goes to
 * 0 this vanishes (Chow and Robbins 1965; for dependent data Glynn and Whitt 1992); for widths that
 * people ask for it costs coverage, most where the first looks come early (Law and Carson 1979).
 * So, here:
 *   - looks at geometrically growing numbers of calls, as Heidelberger and Welch (1983) do:
 *     few looks are few chances to be deceived;
 *   - none counts before there are enough calls, independent batches and effective ticks for the
 *     interval itself to cover (STOPPING_CALLS, _BATCHES, _EFFECTIVE), nor while the estimate has a
 *     reliability warning;
 *   - the width must be small enough at two looks in turn; the second has half as many calls
 *     again, and it is its interval that is reported.
 * tests/unit/stats/test_stopping.c simulates the coverage that is left. */
#ifndef SCPROF_STATS_MEAN_STOPPING_H
#define SCPROF_STATS_MEAN_STOPPING_H

#include <stdbool.h>

#include "stats/stats.h"

#define STOPPING_GROWTH	   1.5
#define STOPPING_CALLS	   256
#define STOPPING_BATCHES   16  /* degrees of freedom of the error */
#define STOPPING_EFFECTIVE 100 /* calls over the design effect */
#define STOPPING_IN_TURN   2

struct stopping {
	double relative; /* wanted: half the width over the mean */
	uint64_t due;	 /* calls of the next look */
	unsigned in_turn, looks;
	double seen; /* the relative half width at the last look; NAN: none, or nothing known */
};

/* What the rule needs of an estimate, in any unit. `calls`: so far, by which looks are due; `used`:
 * those in the mean, fewer where a warm-up is excluded. */
struct stopping_look {
	uint64_t calls, used;
	double mean, low, high;
	double freedom, design_effect;
	unsigned unreliable;
};

void stopping_begin(struct stopping *s, double relative);

/* Is it time for a look? Estimates cost more than this question. */
bool stopping_is_due(const struct stopping *s, uint64_t calls);

/* A look that was due: whether the mean is now known well enough. Stays so until a look
 * says otherwise. */
bool stopping_look(struct stopping *s, const struct stopping_look *look);

static inline bool stopping_reached(const struct stopping *s)
{
	return s->in_turn >= STOPPING_IN_TURN;
}

#endif
