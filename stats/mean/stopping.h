// SPDX-License-Identifier: GPL-3.0-or-later
/* Decides when a mean is known well enough to stop measuring it.
 *
 * Who looks at an interval again and again, and stops when it is narrow, stops where the scatter
 * happens to look small, and before the program has shown how slowly it changes. So, here:
 *   - the limits hold at all looks together: a confidence sequence, that of sequential_t
 *     (Waudby-Smith et al. 2024, "Time-uniform central limit theory", for sums that are only
 *     asymptotically so). m is the least time, STOPPING_LEAST_S unless asked otherwise;
 *   - the error is that between stretches of *wall* time, not of calls: 32 to 64 of them, merged in
 *     pairs as time goes on, cover the run. A ratio estimate (Cochran 1977, section 6.3), as both
 *     calls and time vary; dependence between stretches is added (autocorrelation.h). That error is
 *     itself an estimate: Student's t in place of the normal quantile, moved towards the long tail
 *     as skewness moves it (Johnson 1978);
 *   - fewer than STOPPING_INDEPENDENT independent stretches are not enough. A program
 *     that depends on itself over all times that it was watched seldom has so many;
 *   - none where one stretch makes most of the scatter: what is as rare will look different next
 *     time;
 *   - and the ordinary interval must be as narrow, have no reliability warning, and rest on enough
 *     calls, batches and effective ticks (STOPPING_CALLS, _BATCHES, _EFFECTIVE).
 *
 * It cannot take account of events that have not occurred yet. States that last m / 3 on average
 * change within m in 95 of 100 runs (e^-3), and then hold the stop up; slower ones may be missed.
 * tests/bench/watched/stopping.c simulates all this; docs/top.md has the result. */
#pragma once

#include <stdbool.h>

#include "stats/stats.h"

#define STOPPING_LEAST_S     10.0
#define STOPPING_STRETCHES   64
#define STOPPING_INDEPENDENT 20
#define STOPPING_CALLS	     256
#define STOPPING_BATCHES     16	 /* minimum degrees of freedom of the error */
#define STOPPING_EFFECTIVE   100 /* minimum of calls / design effect */
/* Maximum share of one stretch in the squared scatter. The largest of 32 normal values exceeds it
 * with probability 10^-4. */
#define STOPPING_LARGEST 0.5

struct stopping_stretch {
	uint64_t calls, units;
};

struct stopping {
	double relative, least_s; /* wanted half width / mean; m */
	double began_s, due_s;	  /* due_s: time of the next look */
	double stretch_s;
	uint32_t count;
	struct stopping_stretch at; /* state at the end of the last stretch */
	struct stopping_stretch stretch[STOPPING_STRETCHES];
	bool reached;
	double seen; /* the relative half width at the last look; NAN: no look yet, or unknown */
};

/* What the rule needs of an estimate, in any unit. `used`: calls in the mean, `skipped`: those of a
 * warm-up before them; `raw`: the mean before anything was subtracted. */
struct stopping_look {
	uint64_t used, skipped;
	double raw, mean, low, high;
	double freedom, design_effect;
	unsigned unreliable;
};

/* Times are of recording, in seconds: they stand still while it is stopped. `now`: the calls made
 * so far and their time in units; what was before the beginning is in no stretch. */
void stopping_begin(struct stopping *s, double relative, double least_s, double now_s,
		    const struct stopping_stretch *now);

/* Returns true at the end of a stretch: then there is new data to look at. */
bool stopping_add(struct stopping *s, double now_s, const struct stopping_stretch *now);

/* Looks again, and returns whether the mean is now known well enough. The answer is valid until the
 * next look. */
bool stopping_look(struct stopping *s, double now_s, const struct stopping_look *look);

/* Half the width of the sequence over the mean, at `elapsed_s` since the beginning, of the
 * stretches after the first `skipped` calls. *ready: whether enough of them are independent. NAN:
 * not known. */
double stopping_width(const struct stopping *s, double elapsed_s, uint64_t skipped, bool *ready);

/* How long the means will have been measured when their relative half widths are at most `wanted`,
 * if the widest is `widest` after now_s and falls with the square root of time. NAN: not known,
 * where it is as wide as the mean, too. */
double stopping_expected(double now_s, double widest, double wanted, double least_s);

/* Why a measurement ends whose means are not known well enough. */
enum stopping_end { STOPPING_GOES_ON, STOPPING_LIMIT, STOPPING_IDLE };

#define STOPPING_LIMIT_TIMES   10   /* the limit is so many times what is expected at first, ... */
#define STOPPING_LIMIT_LEAST_S 60.0 /* ... and at least this. By then something is expected */
#define STOPPING_IDLE_LEAST_S                                                                      \
	10.0			 /* the load is over after so long, or a tenth of the time, ...    \
				  */
#define STOPPING_IDLE_CALLS 0.01 /* ... in which this share of the usual calls came, or fewer */

struct stopping_patience {
	double limit_s;		   /* of recording; 0: not set yet */
	double busy_s, busy_calls; /* when the load was last there, and all calls until then */
};

/* At each look. `calls`: all so far; 0: the load has not begun. */
enum stopping_end stopping_lasts(struct stopping_patience *p, double now_s, double calls,
				 double expected_s);
