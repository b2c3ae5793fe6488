// SPDX-License-Identifier: Apache-2.0
/* Rows of call-frame information, remembered by return address: a thread's own table, so that it
 * needs no locks. It begins with 8 kB, and grows to 1 MB at most; beyond that rows are written over
 * and made anew when they are wanted again. A row holds for one generation of process_epoch:
 * nothing is kept of addresses without tables, since those may get some. */
#ifndef SCPROF_PRELOAD_CALL_WALK_ROWS_H
#define SCPROF_PRELOAD_CALL_WALK_ROWS_H

#include "preload/process/process.h"
#include "preload/table/thread.h"

#define ROWS_HASH UINT64_C(0x9e3779b97f4a7c15)

/* Make the row of a return address. NULL: there are no tables, or there is no room. */
HIDDEN const struct row *walk_rows_make(struct scp_thread *t, uint64_t pc);

static inline struct row_set *walk_rows_set(const struct walk *w, uint64_t pc)
{
	return &w->rows[pc * ROWS_HASH >> 32 & (w->sets - 1)];
}

static inline const struct row *walk_rows_find(struct scp_thread *t, uint64_t pc)
{
	const struct walk *w = &t->walk;
	uint32_t generation = t->generation;
	if (likely(w->rows != NULL)) {
		const struct row_set *s = walk_rows_set(w, pc);
		if (likely(s->row[0].pc == pc && s->row[0].generation == generation))
			return &s->row[0];
		if (likely(s->row[1].pc == pc && s->row[1].generation == generation))
			return &s->row[1];
	}
	return walk_rows_make(t, pc);
}

#endif
