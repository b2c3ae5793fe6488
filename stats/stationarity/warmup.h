// SPDX-License-Identifier: GPL-3.0-or-later
/* Is a site's mean one number? Warm-up and drift over the ordered batches of its calls.
 *
 * A "steady" series is one whose batches could have come in any order, or follow their neighbours
 * for a while only: whatever the distribution of the durations, and also for counts of a slow
 * clock. Each test calls at most 1 in 100 of those unsteady; simulated, 8 to 64 batches: normal;
 * lognormal with sigma 2 and 20 calls a batch; down to one tick in five batches; contiguous calls
 * of a slow clock; correlation of neighbours up to 0.5 (at 16 to 24 batches then 1.5). Beyond that
 * a wave cannot be told from a trend: up to 3 in 100 drift at correlation 0.7, 6 at 0.9. Programs
 * with spells (bursts, convoys, phases) show a warm-up in 1 or 2 runs of 100 where a run holds
 * eight spells, in up to 9 where it holds two: docs/coverage.md. About 20 kB of stack. */
#pragma once

#include "stats/mean/mean_interval.h"
#include "stats/stats.h"

/* Leading batches that differ from the rest. */
struct warmup {
	unsigned batches;  /* number of batches to exclude; 0: none. At most half of all */
	double mean_aside; /* mean of a call in them, clock units; NAN if none */
	double mean_rest;  /* mean of the other calls */
	double ratio;	   /* mean_aside / mean_rest; NAN if none */
};

/* Three ways to be real. Far apart: the first batches lie clear of all others (or of the second
 * half), farther from their median than the farthest of them by a factor of max(3, (400 / number of
 * others)^(2/3)): being first is 1 chance in that many, and tails down to an exponent of 1.5 make
 * the rest. Or a run: of 32 batches or more, the first eighth at least lies 16 median absolute
 * deviations of the second half from its median, to one side; so an interruption later on hides
 * nothing. Or shifted: two levels in the ranks, the best split in the first half (a best split
 * later is drift, not warm-up). Both ways, slower or faster. And it must not come back: where the
 * later batches have a stretch as long and as far off (a third as far, where neighbours among them
 * resemble each other), it is what the program does. None of fewer than 32 batches or 100 calls. */
struct warmup warmup_find(const struct stats_batches *b);

/* The cut is an estimate, too: a decay has no end. `moves`: relative change of the mean of the rest
 * if as many calls again are set aside. The interval is widened by it. */
void warmup_widen(struct mean_interval *e, double moves);

/* The first call compared with all. */
struct first_call {
	double ratio; /* its duration / mean of the other calls; NAN for fewer than two calls */
	double share; /* share of all calls that are at least as long, itself included: the p-value
		       * of its being first by chance. NAN without a histogram */
};

/* `count`: histogram of all calls as in scprof_format.h, or NULL. A call in the same bucket counts
 * as equally long. */
struct first_call warmup_first(uint64_t first_units, uint64_t calls, uint64_t units,
			       const uint64_t *count, uint32_t buckets);

/* Does a mean move during a run, slowly (drift) or at once (a step)? */
enum stats_drift { STATS_STEADY, STATS_TREND, STATS_STEP };

struct drift {
	enum stats_drift kind;
	double begin, end; /* mean of a call by the line, or before and after the step, or (steady)
			      of the first and the second half; clock units. Of what was looked at:
			      skipped batches left out */
	double change;	   /* end / begin - 1; NAN where begin <= 0 */
	unsigned at;	   /* the first batch after the step; 0 if there is no step */
};

/* Trend (normal scores on time) and one step (best split), with serial correlation allowed for; of
 * two significant ones, the better fit. The trend is Theil and Sen's. `skip`: batches excluded at
 * the start. Needs 8 batches for a trend, 16 for a step. */
struct drift drift_find(const struct stats_batches *b, unsigned skip);
