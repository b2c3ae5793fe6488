// SPDX-License-Identifier: Apache-2.0
/* An empty function, called by the very way that calls go (enum scp_way), with a thread state of
 * our own in private memory: one memo, one entry and one gap, which nothing ever fills up. One
 * thread at a time, with its signals held. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_WAY_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/scprof_format.h"
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

#endif
