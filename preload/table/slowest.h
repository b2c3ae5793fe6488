// SPDX-License-Identifier: Apache-2.0
/* The slowest calls of each table, one by one (struct scp_slowest): when, how long, from
 * where. What a mean cannot answer: which of a million sends stalled.
 *
 * On the way of every call this is one comparison with a limit of the thread's, which rises
 * as longer calls are met; without SCPROF_SLOWEST the limit is beyond all calls, and stands
 * where the fast path looked for calls of 2^32 units already. Only longer calls come here.
 *
 * Clocks that count ticks: a reading of one tick says only that the call lay across a
 * tick, so calls of two or more are kept. */
#pragma once

#include "preload/function/region_name.h"
#include "preload/table/thread.h"

/* Of the process, found out as calls come. */
struct slowest_known {
	uint64_t least_units; /* the shortest call to keep; 0: the counter's rate is not known */
	uint8_t wanted[PROCESS_FUNCTIONS]; /* by selected_slot: 0 not known, 1 yes, 2 no */
};
extern HIDDEN struct slowest_known slowest_known;

/* Another file begins. */
HIDDEN void slowest_forget(void);

/* A new thread's limits. */
HIDDEN void slowest_begin(struct scp_thread *t);

/* A call longer than t->slowest.limit has just ended and is in the sums of `rt`. With
 * bookkeeping marked. `off`: what it adds to the thread's switches, NULL: nothing. Keeps errno. */
HIDDEN void slowest_note(struct scp_thread *t, const struct scp_rt *rt, uint64_t units,
			 uint64_t slow_units, uint64_t began_at, uint64_t bytes,
			 const struct switch_sums *off);
