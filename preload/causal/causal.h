// SPDX-License-Identifier: Apache-2.0
/* Delays at call sites, and counts of progress: this process's side of the page that SCPROF_CAUSAL
 * names (include/scprof_causal.h).
 *
 * With a page no call takes a fast path (thread_all_general), so that the fast paths have no code
 * of ours. A delay is spun with thread.open as in the original, so that a signal handler's calls
 * are nested ones, and one that leaves by longjmp leaves nothing behind. Its time is `recording`
 * (table/recording.h): in no gap and no interval, but counted.
 *
 * The page is no more trusted than any file: indexes are checked, and beside the page's limits on
 * delays there are those of causal_delay.c. */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_causal.h"
#include "preload/table/thread.h"

/* NULL: none. Threads may still use one that is let go: its memory stays. */
extern HIDDEN struct scp_causal_page *causal_page;

static inline bool causal_is_on(void)
{
	return unlikely(causal_page != NULL);
}

/* From the environment, or an order. Opens and closes a file: at a session's beginning only. */
HIDDEN void causal_read(void);

/* A session is over: the page's file is let go. */
HIDDEN void causal_forget(void);

/* Units of the counter in a microsecond, and what one reading of it takes. */
struct causal_counter {
	uint64_t microsecond, reading;
};
extern HIDDEN struct causal_counter causal_counter;

#endif
