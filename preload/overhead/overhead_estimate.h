// SPDX-License-Identifier: Apache-2.0
/* From rounds of calls to what a call costs. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ESTIMATE_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_format.h"
#include "preload/system/util.h"

#define OVERHEAD_ROUNDS 16u /* at most, for each kind of path */

/* Of a round: what each clock counted between the readings, and what the timer counted
 * round all. Units of the clock in question. */
struct round {
	uint64_t inside, slow, wrapped, plain;
};

struct rounds {
	struct round round[OVERHEAD_ROUNDS];
	uint32_t count;
};

struct overhead_results {
	struct rounds path[2], stand_in[2]; /* SCP_COST_SHORT, SCP_COST_LONG */
	struct rounds selected, inner[2];   /* inner: of a wrapper, and of a selected function */
	uint64_t reading[OVERHEAD_ROUNDS], reading_timer[OVERHEAD_ROUNDS],
		call[OVERHEAD_ROUNDS]; /* a call with each */
	uint32_t calls;		       /* of a round */
};

/* A unit of a clock: so many ns make so many units. */
struct overhead_rate {
	uint64_t ns, units;
};

/* Does a clock of this kind count ticks that are longer than a call? */
HIDDEN bool overhead_estimate_is_coarse(uint32_t kind);

/* How much more a wrapper's call has between its two readings than a selected function's: units of
 * the counter, a call. */
HIDDEN int64_t overhead_estimate_shift(const struct overhead_results *r);

/* Fill what is zeroed; `timer`: the rate of the clock that timed the rounds. */
HIDDEN void overhead_estimate(const struct overhead_results *r, struct overhead_rate timer,
			      struct scp_overhead *main_clock, struct scp_overhead *slow_clock,
			      struct scp_inner_cost *inner);

#endif
