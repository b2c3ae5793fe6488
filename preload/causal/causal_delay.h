// SPDX-License-Identifier: Apache-2.0
/* Delaying a call, and counting it. With a page only; for the owning thread, with bookkeeping
 * marked. */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_DELAY_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_DELAY_H

#include "preload/causal/causal_page.h"
#include "preload/table/thread.h"

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
