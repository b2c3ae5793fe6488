// SPDX-License-Identifier: Apache-2.0
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
#ifndef SCPROF_PRELOAD_CALL_MERGE_H
#define SCPROF_PRELOAD_CALL_MERGE_H

#include "preload/python/python.h"
#include "preload/table/thread.h"

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
	uint32_t loops; /* that were met */
	uint32_t skipped;
	bool has_first;	  /* the innermost frame of all was met */
	bool interrupted; /* the innermost loop was, by a signal */
	bool keeps_own;	  /* a loop had no run: what is further out belongs to nothing */
};

/* Begin t->found.frame. The innermost `skipped` loops have no run: one is entered, or left, just
 * now, or they are a subinterpreter's. */
HIDDEN void merge_begin(struct merge *m, struct scp_thread *t, uint32_t skipped);

/* The next C frame. */
HIDDEN void merge_add(struct merge *m, const struct merge_frame *f);

/* There are no more C frames; they `ended` with the outermost one. Not 0: all is to be done again
 * with so many loops skipped. Else t->found.flags has what is to be said. */
HIDDEN uint32_t merge_end(struct merge *m, bool ended);

/* Are all frames there that are kept, and more? */
static inline bool merge_is_full(const struct merge *m)
{
	return m->kept > filter.depth;
}

#endif
