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

#include "preload/causal/causal_private.h"
#include "preload/system/util.h"
#include "preload/table/thread.h"

/* From the environment, or an order, after clock_choose. At a session's beginning only. */
HIDDEN void causal_read(void);

/* A session is over: the page's file is let go. */
HIDDEN void causal_forget(void);

/* Delaying a call, and counting it. With a page only; for the owning thread, with bookkeeping
 * marked. */

/* A call at the site begins, or ends: count it, and delay it if its delay is to lie there.
 * `open`: what thread.open is meanwhile, by which a handler's calls find themselves inside
 * something. `top`: no interval is open around. False: the thread has no state of this session any
 * more (a handler forked, the session ended), and nothing is marked. */
HIDDEN bool causal_delay(struct scp_thread *t, struct scp_site *s, bool at_end, uintptr_t open,
			 bool top);

/* A call at the site has ended: is that progress? `began_at`: the counter when it began, before
 * its delay (where there are two clocks: after a delay at its beginning); 0: not known. */
HIDDEN void causal_delay_note_end(const struct scp_thread *t, struct scp_site *s, uint32_t outcome,
				  uint64_t began_at);

/* A point of this name was passed. */
HIDDEN void causal_delay_note_point(const struct scp_thread *t, const char *name);

#endif
