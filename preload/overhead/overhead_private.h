// SPDX-License-Identifier: Apache-2.0
/* An empty function, called by the very way that calls go (enum scp_way), with a thread state of
 * our own in private memory: one memo, one entry and one gap, which nothing ever fills up. One
 * thread at a time, with its signals held. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_PRIVATE_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/scprof_format.h"
#include "preload/process/process.h"
#include "preload/system/util.h"

struct overhead_way {
	uint32_t way;	      /* enum scp_way */
	uint32_t words;	      /* of the stack that are compared; at most OVERHEAD_WAY_WORDS */
	uint32_t clock, slow; /* enum scp_clock_kind; slow: of a dual run, else SCP_CLOCK_NONE */
	bool fast;	      /* by the fast path of the counter, or of the page clock */
};
#define OVERHEAD_WAY_WORDS (SCP_COST_LONG_FRAMES - 1)

typedef long overhead_function(int, const void *, size_t, int);

/* The empty function, and the way to it: read again for each call, as function_real[]. */
extern HIDDEN overhead_function *volatile overhead_way_plain, *volatile overhead_way_call;

/* From here on the calling thread's state is the scratch state, and overhead_way_call goes that way
 * after one call by `first`. */
HIDDEN void overhead_way_prepare(const struct overhead_way *w, overhead_function **first);

/* After that one: inside a region, where the way is nested. */
HIDDEN void overhead_way_enter(const struct overhead_way *w);

/* What the clocks have counted so far between the readings of all calls. */
HIDDEN void overhead_way_count(uint64_t *inside, uint64_t *slow);

/* A call could not go its way: code was unloaded, the process stood still. */
HIDDEN bool overhead_way_is_disturbed(void);
HIDDEN void overhead_way_begin(void); /* not yet */

/* From rounds of calls to what a call costs. */

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

struct overhead_results {
	struct rounds way[SCP_WAYS],
		deep; /* by the clocks that were chosen; SCP_COST_LONG_FRAMES */
	/* The timer in place of a clock whose ticks are longer than a call: of the main clock, or
	 * of the slow one of a dual run. */
	struct rounds stand_in[SCP_WAYS], deep_stand_in;
	int64_t reading_ps; /* of such a clock, more than of the timer */
	uint32_t calls;	    /* of a round */
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

/* Rounds of calls of an empty function, through the wrappers' code on a scratch state. */

/* A robust mean of a few rounds, in integers: a round that an interrupt or the host of
 * a virtual machine fell into must not count. */

struct overhead_estimate {
	int64_t value;
	uint64_t error; /* standard error of `value`, not below 1 */
};

/* The median of count > 0 values (the mean of the middle two), and its standard error for
 * a distribution that is normal in its middle: sqrt(pi / 2) * 1.4826 * MAD / sqrt(count),
 * MAD the median absolute deviation (Hampel 1974; Kendall and Stuart, Advanced Theory of
 * Statistics I, 10.10). Values lie within +-2^40. Overwrites v. */
HIDDEN struct overhead_estimate overhead_stats_median(int64_t *v, uint32_t count);

/* `units` of a clock in picoseconds, its rate a unit given by span_ns and span_units; both
 * below 2^31 ns long. 0 where the spans are of no use. */
HIDDEN uint64_t overhead_stats_ps(uint64_t units, uint64_t span_ns, uint64_t span_units);

#endif
