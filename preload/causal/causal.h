// SPDX-License-Identifier: Apache-2.0
/* Delays at call sites, and counts of progress: this process's side of the page that SCPROF_CAUSAL
 * names (include/scprof_causal.h).
 *
 * With a page no call takes a fast path (thread_all_general), so that the fast paths have no code
 * of ours. A delay is spun with thread.open as in the original, so that a signal handler's calls
 * are nested ones, and one that leaves by longjmp leaves nothing behind. Its time is `recording`
 * (table/recording.h): in no gap and no interval, but counted. */
#pragma once

#include "include/scprof_causal.h"
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

/* It is no more trusted than any file: indexes are checked, and beside the page's limits on delays
 * there are those of causal_delay.c. */

/* NULL: none. Threads may still use one that is let go: its memory stays. */
extern HIDDEN struct scp_causal_page *causal_page;

static inline bool causal_page_is_there(void)
{
	return unlikely(causal_page != NULL);
}

/* The same for good: a session may end at any time. */
static inline struct scp_causal_page *causal_page_now(void)
{
	return __atomic_load_n(&causal_page, __ATOMIC_ACQUIRE);
}

/* Units of the counter in a microsecond, and what one reading of it takes. */
struct causal_counter {
	uint64_t microsecond, reading;
};
extern HIDDEN struct causal_counter causal_counter;

/* The calling thread ends: it gives its block back. */
HIDDEN void causal_block_end(void);

/* scp_site.causal: the index of its entry, which equal sites of all processes have, and these. */
#define CAUSAL_SITE_KNOWN   0x80000000u
#define CAUSAL_SITE_ENTERED 0x40000000u /* it has an entry */
#define CAUSAL_SITE_NEVER   0x20000000u /* it is not to be delayed: a signal handler's, perhaps */
#define CAUSAL_SITE_AT_END  0x10000000u /* its delay lies at the end of a call */
#define CAUSAL_SITE_INDEX   (SCP_CAUSAL_SITES - 1)

HIDDEN uint32_t causal_site_scan(const struct scp_thread *t, struct scp_site *s);

/* scp_site.causal, with bookkeeping marked. */
static inline uint32_t causal_site_of(const struct scp_thread *t, struct scp_site *s)
{
	return likely(s->causal) ? s->causal : causal_site_scan(t, s);
}

/* For scp_site.progress: 0: what has this name is no progress; else 1 + the outcome that is. */
HIDDEN uint32_t causal_site_progress(const char *name);

/* A page comes into use: read its name of progress. */
HIDDEN void causal_site_begin(const struct scp_causal_page *page);
