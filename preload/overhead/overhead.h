// SPDX-License-Identifier: Apache-2.0
/* What one wrapped call adds, measured in the target itself (struct scp_overhead):
 * an empty function is called through the very code that the wrappers use, by a
 * thread state of our own in private memory. Nothing of it shows in the profile.
 *
 * Each measurement takes 40 us to 0.3 ms (the ways that calls can go in this process, each 20 us by
 * each clock), in which the calling thread's signals wait; one at a time in a process. Where no
 * system call may be made (sys_sandboxed), or where hardly any stack is left, there is none: a
 * handler's calls must not be taken for ours. */
#pragma once

#include "include/scprof_format.h"
#include "preload/process/process.h"
#include "preload/system/util.h"

/* When recording begins, before the calling thread's time does. Not where an earlier session, by
 * the same clock, has done so: that is in the header already. */
HIDDEN void overhead_measure_first(void);

/* When the process ends by itself. Not after a short life, of which it would be a notable part. */
HIDDEN void overhead_measure_last(void);

/* An empty function, called by the very way that calls go (enum scp_way): one memo, one entry and
 * one gap, which nothing ever fills up. */

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

/* From here on the calling thread's state is the scratch state, and overhead_way_call notes where
 * calls come from. */
HIDDEN void overhead_way_prepare(const struct overhead_way *w);

/* After one such call: overhead_way_call goes that way, inside a region where it is nested. */
HIDDEN void overhead_way_enter(const struct overhead_way *w);

/* What the clocks have counted so far between the readings of all calls. */
HIDDEN void overhead_way_count(uint64_t *inside, uint64_t *slow);

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

/* Fill what is zeroed; `timer`: the rate of the clock that timed the rounds. */
HIDDEN void overhead_estimate(const struct overhead_results *r, struct overhead_rate timer,
			      struct overhead_costs *out);

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
