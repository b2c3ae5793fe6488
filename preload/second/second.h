// SPDX-License-Identifier: Apache-2.0
/* A second opinion on call paths: libunwind walks some of the new ones, too, and the frames are
 * compared (SCPROF_VERIFY_PATHS, header.path_checks).
 *
 * Equal: libunwind finds the same frames, and the same outermost one. Where our walk is cut, is as
 * deep as is kept, or has no more tables, it is equal as far as it goes: libunwind may go further.
 * Undecided: libunwind stops before that, for want of a table that it reads or of memory; or it was
 * not asked, since another thread had it for long, or this is a child that was forked meanwhile.
 * Different: all else. */
#ifndef SCPROF_PRELOAD_SECOND_SECOND_H
#define SCPROF_PRELOAD_SECOND_SECOND_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/system/util.h"

struct second {
	uint32_t one_in;   /* new paths; 0: none is to be verified */
	uint32_t unwinder; /* libunwind is there */
};
extern HIDDEN struct second second;

/* A walk as it was recorded. */
struct second_walk {
	uint64_t ra, cfa, fp;	/* see unwind_register_begin */
	const uint64_t *frame;	/* SCP_FRAME(), innermost first */
	uint32_t frames, flags; /* SCP_PATH_* */
};

/* From SCPROF_VERIFY_PATHS: a number, or NULL. False: it is none. Start-up only. */
HIDDEN bool second_choose(const char *one_in);

/* Load libunwind, if it is asked for, and has not been: from the library's constructor, or before a
 * session begins; where the loader may be called and memory be taken. */
HIDDEN void second_load(void);

/* A file begins: in a forked child, too. */
HIDDEN void second_begin_file(void);

/* A new path has frames that no table led to. */
HIDDEN void second_count_heuristic(void);

HIDDEN COLD void second_walk_again(const struct second_walk *w);

/* A path is new: count it, and verify it if it is its turn. Any thread, bookkeeping marked; keeps
 * signals held for about 0.1 ms, and makes system calls, if it is; else it costs nothing. */
static inline void second_verify(const struct second_walk *w)
{
	if (unlikely(second.one_in))
		second_walk_again(w);
}

#endif
