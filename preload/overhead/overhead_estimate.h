// SPDX-License-Identifier: Apache-2.0
/* From rounds of calls to what a call costs. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ESTIMATE_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/process/process.h"

#define OVERHEAD_ROUNDS 16u /* at most, for each way */

/* Of a round: what each clock counted between the readings, and what the timer counted
 * round all. Units of the clock in question. */
struct round {
	uint64_t inside, slow, wrapped, plain;
};

struct rounds {
	struct round round[OVERHEAD_ROUNDS];
	uint32_t count; /* 0: not made */
};

/* A reading of a clock with a call after it, of the timer likewise, and the call alone: timed. */
struct readings {
	uint64_t clock[OVERHEAD_ROUNDS], timer[OVERHEAD_ROUNDS], call[OVERHEAD_ROUNDS];
};

struct overhead_results {
	struct rounds way[SCP_WAYS],
		deep; /* by the clocks that were chosen; SCP_COST_LONG_FRAMES */
	/* The timer in place of a clock whose ticks are longer than a call: of the main clock, or
	 * of the slow one of a dual run. */
	struct rounds stand_in[SCP_WAYS], deep_stand_in;
	struct readings plain, ordered; /* of such a clock; ordered: as function_wants_order */
	uint32_t calls;			/* of a round */
};

/* A unit of a clock: so many ns make so many units. */
struct overhead_rate {
	uint64_t ns, units;
};

/* Does a clock of this kind count ticks that are longer than a call? */
HIDDEN bool overhead_estimate_is_coarse(uint32_t kind);

/* Fill what is zeroed; `timer`: the rate of the clock that timed the rounds. */
HIDDEN void overhead_estimate(const struct overhead_results *r, struct overhead_rate timer,
			      struct overhead_costs *out);

#endif
