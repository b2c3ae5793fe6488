// SPDX-License-Identifier: Apache-2.0
/* What a thread knows of its switches: was it taken off its CPU since it last looked?
 *
 * A detector is a word in memory that no longer holds what we left there, or saw there, once the
 * kernel has switched the thread. Looking at it costs a load and a comparison; all else is done in
 * switch_track.c, when a switch was seen or a random call has come. */
#pragma once

#include "preload/system/util.h"

/* Of one thread, in ns; they only grow. As struct scp_off_cpu. What an interval adds is the
 * difference between its end and its beginning; of nested ones, of which there may be many, only
 * `mark` is kept. */
struct switch_mark {
	uint64_t count; /* switches seen */
	uint64_t known, weighted, runnable_ns, asleep_ns;
};
struct switch_sums {
	struct switch_mark mark;
	uint64_t ran_ns, waits;
};

/* What the kernel knows of the calling thread at an instant. */
struct switch_reading {
	uint64_t mono_ns, cpu_ns, delay_ns, voluntary, involuntary;
	bool has_delay, is_derived; /* cpu_ns: from a reading before */
};

/* How often something happens, for a budget of readings; what it has more in the beginning. */
struct switch_rate {
	uint64_t since_ns, events, first_ns;
};

/* What has been added up for the table, see struct scp_table_states. */
struct switch_totals {
	uint64_t covered_ns, cpu_ns, ran_ns;
	uint64_t delay_covered_ns, delay_ns;
	int64_t stolen_ns; /* noise about nothing is below 0 half of the time */
};

#define SWITCH_NEVER UINT32_MAX /* as countdown */

struct switch_watch {
	/* Hot. `expected` is what the word holds as long as nothing happened; inside of a call in
	 * which something did it is something that the word never holds. */
	volatile uint64_t *word;
	uint64_t expected;
	uint32_t countdown;	 /* top-level calls until a random one is read */
	uint32_t detector;	 /* enum scp_switch_detector */
	uint64_t armed;		 /* what the word holds while the thread keeps its CPU */
	volatile uint64_t still; /* the word where there is no detector */
	struct switch_sums sums;
	struct switch_sums top;	 /* when the present top-level call began, or the last one ended */
	struct switch_mark late; /* lost in the reading behind a call: of the gap that follows */
	struct switch_sums off;	 /* what was returned last: here, because stacks may be small */
	/* The segment: since the last switch that was seen, or random call. */
	uint64_t began_ns;
	uint64_t weight; /* 1 / the probability that it is read; 0: it is not */
	struct switch_reading from, last;
	struct switch_reading last_delay; /* the last one that has it */
	struct switch_totals totals;	  /* since the table was made */
	uint64_t busy_ppk;   /* thousandths of time that the thread had a CPU; 0: unknown */
	uintptr_t room_at;   /* a stack pointer with room below it; 0: none known */
	uint64_t crowded_ns; /* its CPU time when another thread had last taken its CPU */
	uint32_t asks; /* for CPU time at both ends: 1 / the probability of that; 0: need not */
	uint32_t asks_next; /* of the segment that begins */
	bool sampled;	    /* without a detector: the present top-level call is read */
	bool has_last, is_crowded;
	bool is_young; /* read from what the process has, not from its own time */
	int32_t tid;
	uint32_t period;	     /* mean of countdown */
	uint32_t drawn;		     /* what it began with */
	uint64_t random, reading_ns; /* cost of a reading, on average */
	struct switch_rate switches, calls;
	void *page; /* of a perf event */
};

/* Has the thread been switched since the last look? */
static inline __attribute__((always_inline)) bool switch_watch_has_changed(
	const struct switch_watch *w)
{
	return *w->word != w->armed;
}

/* Has the thread been switched since the last look, or in a call of this one? */
static inline __attribute__((always_inline)) bool switch_watch_is_disturbed(
	const struct switch_watch *w)
{
	return *w->word != w->expected;
}

/* At the beginning of a top-level call: is there anything to do? */
static inline __attribute__((always_inline)) bool switch_watch_is_due(struct switch_watch *w)
{
	return unlikely(switch_watch_is_disturbed(w)) || unlikely(--w->countdown == 0);
}
