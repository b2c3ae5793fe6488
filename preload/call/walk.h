// SPDX-License-Identifier: Apache-2.0
/* The cached walk: from a call to the outermost frame, by rows that are remembered by return
 * address.
 *
 * It finds what the full unwinder would find (unwind.h), from the same words. Where that needs more
 * than a row can say (signal frames, expressions, no tables), there is no cached walk.
 *
 * Thread rules: for the owning thread, with bookkeeping marked. */
#pragma once

#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/table/thread.h"

/* Fill t->found, which is all 0 before. False: the full unwinder has to. */
HIDDEN bool walk_find(struct scp_thread *t, const struct walk_start *from);

/* Is the call `from->outer` in progress? As above, and changes nothing but rows. */
HIDDEN enum walk_outer walk_search(struct scp_thread *t, const struct walk_start *from);

/* Would the frame of the call around lie above this one's? Then it is no more. */
HIDDEN bool walk_is_above(const struct walk_start *from);

/* Is the wrapped call whose caller's stack pointer is from->outer still below us on the stack?
 * (Else it was left by longjmp, an exception, or cancellation.) True where that cannot be known.
 * `interrupts`: a walk of the same thread may be in progress. */
HIDDEN bool walk_is_inside(struct scp_thread *t, const struct walk_start *from, bool interrupts);

/* Code was unloaded. New rows are written over the old ones, and need no larger table. */
static inline void walk_forget(struct scp_thread *t)
{
	t->walk.filled = 0;
}

/* The walk that can do everything: by the full unwinder, which evaluates the tables anew at each
 * frame. For the owning thread, with bookkeeping marked. */

/* Fill t->found, which is all 0 before. */
HIDDEN void full_walk_find(struct scp_thread *t, const struct walk_start *from);

/* The caller alone: there is no room, or no right, to do more. */
HIDDEN void full_walk_find_caller(struct scp_thread *t, const struct walk_start *from);

/* Is the call from->outer in progress? Touches nothing that a walk does, so that it may come in
 * between. */
HIDDEN enum walk_outer full_walk_search(struct scp_thread *t, const struct walk_start *from);

/* Is there a return address of this kind? Likewise. */
HIDDEN bool full_walk_meets(struct scp_thread *t, const struct walk_start *from,
			    bool (*is)(uint64_t pc));

/* May the eight bytes be read? Remembers the latest pages, until they are to be forgotten: at the
 * beginning of each walk. */
HIDDEN bool full_walk_readable(struct scp_thread *t, uint64_t address);
HIDDEN void full_walk_forget_pages(struct scp_thread *t);

/* Rows of call-frame information, remembered by return address: a thread's own table, so that it
 * needs no locks. It begins with 8 kB, and grows to 1 MB at most; beyond that rows are written over
 * and made anew when they are wanted again. A row holds for one generation of process_epoch:
 * nothing is kept of addresses without tables, since those may get some. */

#define ROWS_HASH UINT64_C(0x9e3779b97f4a7c15)

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

/* One call path of C frames and Python functions (python_stack.h), as both are met from the
 * innermost frame outwards: where a C frame is the interpreter's loop, the Python functions that it
 * executes take its place, and the interpreter's own frames are left out (filter.native: all are
 * kept).
 *
 * It is decided frame by frame, with no look ahead, so that a walk that stops when it has as many
 * frames as are kept finds the same path as one that goes on.
 *
 * A loop without Python functions, and those without a loop, keep their place in the order;
 * SCP_PATH_PYTHON_CUT says so.
 *
 * Thread rules: for the owning thread, with bookkeeping marked. */

/* A C frame, none of this library's. */
struct merge_frame {
	uint64_t frame;	  /* as SCP_FRAME */
	uint64_t sp, end; /* its stack; end UINT64_MAX: not known */
	uint8_t kind;	  /* enum python_kind */
};

struct merge {
	struct scp_thread *t;
	uint32_t kept;	/* frames of the path: more than filter.depth, then no more are wanted */
	uint32_t run;	/* the next of t->python.run */
	bool has_first; /* the innermost frame of all was met */
	bool keeps_own; /* a loop had no run: what is further out belongs to nothing */
};

/* Begin t->found.frame. */
HIDDEN void merge_begin(struct merge *m, struct scp_thread *t);

/* The next C frame. */
HIDDEN void merge_add(struct merge *m, const struct merge_frame *f);

/* There are no more C frames. t->found.flags has what is to be said. */
HIDDEN void merge_end(struct merge *m);

/* Are all frames there that are kept, and more? */
static inline bool merge_is_full(const struct merge *m)
{
	return m->kept > filter.depth;
}
