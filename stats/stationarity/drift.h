// SPDX-License-Identifier: GPL-3.0-or-later
/* Does a mean move during a run, slowly (drift) or at once (a step)? The tests call at most 1 in
 * 100 steady series unsteady, as warmup.h says. Pure functions; none allocates. About 20 kB of
 * stack. */
#ifndef SCPROF_STATS_STATIONARITY_DRIFT_H
#define SCPROF_STATS_STATIONARITY_DRIFT_H

#include "stats/stats.h"

enum stats_drift { STATS_STEADY, STATS_TREND, STATS_STEP };

struct drift {
	enum stats_drift kind;
	double begin, end; /* mean of a call by the line, or before and after the step, or (steady)
			      of the first and the second half; clock units. Of what was looked at:
			      skipped batches left out */
	double change;	   /* end / begin - 1; NAN where begin <= 0 */
	unsigned at;	   /* the first batch after the step; 0 for other kinds */
};

/* Trend (normal scores on time) and one step (best split), with serial correlation allowed for; of
 * two significant ones, the better fit. The trend is Theil and Sen's. `skip`: batches excluded at
 * the start. Needs 8 batches for a trend, 16 for a step. */
struct drift drift_find(const struct stats_batches *b, unsigned skip);

#endif
