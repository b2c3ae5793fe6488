// SPDX-License-Identifier: Apache-2.0
/* The walk that can do everything: by the full unwinder, which evaluates the tables anew at each
 * frame. For the owning thread, with bookkeeping marked. */
#ifndef SCPROF_PRELOAD_CALL_FULL_WALK_H
#define SCPROF_PRELOAD_CALL_FULL_WALK_H

#include "preload/table/thread.h"

/* Fill t->found, which is all 0 before but for is_below. */
HIDDEN void full_walk_find(struct scp_thread *t, const struct walk_start *from);

/* The caller alone: there is no room, or no right, to do more. */
HIDDEN void full_walk_find_caller(struct scp_thread *t, const struct walk_start *from);

/* Is the call from->outer in progress? Touches nothing that a walk does, so that it may come in
 * between. */
HIDDEN enum walk_outer full_walk_look_for(struct scp_thread *t, const struct walk_start *from);

/* May the eight bytes be read? Remembers the latest pages, until they are to be forgotten: at the
 * beginning of each walk. */
HIDDEN bool full_walk_readable(struct scp_thread *t, uint64_t address);
HIDDEN void full_walk_forget_pages(struct scp_thread *t);

#endif
