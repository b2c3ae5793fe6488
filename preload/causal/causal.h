// SPDX-License-Identifier: Apache-2.0
/* Delays at call sites, and counts of progress: this process's side of the page that SCPROF_CAUSAL
 * names (include/scprof_causal.h).
 *
 * With a page no call takes a fast path (thread_all_general), so that the fast paths have no code
 * of ours. A delay is spun with thread.open as in the original, so that a signal handler's calls
 * are nested ones, and one that leaves by longjmp leaves nothing behind. Its time is `recording`
 * (table/recording.h): in no gap and no interval, but counted.
 */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_H

#include "preload/system/util.h"

/* From the environment, or an order, after clock_choose. At a session's beginning only. */
HIDDEN void causal_read(void);

/* A session is over: the page's file is let go. */
HIDDEN void causal_forget(void);

#endif
