// SPDX-License-Identifier: Apache-2.0
/* The cached walk: from a call to the outermost frame, by rows that are remembered by return
 * address. It ends where it meets the latest walk of the thread: a frame with the same program
 * counter, stack pointer and place of the frame pointer leads to the same frames as long as the
 * words that were read from there on are the same, and only those are compared.
 *
 * What it finds is what the full unwinder would find (unwind.h), from the same words. Where that
 * needs more than a row can say (signal frames, expressions, no tables), there is no cached walk.
 *
 * Thread rules: for the owning thread, with bookkeeping marked. */
#ifndef SCPROF_PRELOAD_CALL_WALK_H
#define SCPROF_PRELOAD_CALL_WALK_H

#include "preload/table/thread.h"

/* Fill t->found, which is all 0 before but for is_below, of a call of `function`. False: the full
 * unwinder has to. */
HIDDEN bool walk_find(struct scp_thread *t, const struct walk_start *from, uint32_t function);

/* Is the call `from->outer` in progress? As above, and changes nothing but rows. */
HIDDEN enum walk_outer walk_look_for(struct scp_thread *t, const struct walk_start *from);

/* Code was unloaded. New rows are written over the old ones, and need no larger table. */
static inline void walk_forget(struct scp_thread *t)
{
	t->walk.last_count = 0;
	t->walk.filled = 0;
}

#endif
