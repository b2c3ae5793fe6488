// SPDX-License-Identifier: Apache-2.0
/* A second opinion on call paths: libunwind walks some of the new ones, too, and the frames are
 * compared (SCPROF_VERIFY_PATHS, header.path_checks).
 *
 * Equal: libunwind finds the same frames, and the same outermost one. Where our walk is cut, is as
 * deep as is kept, or has no more tables, it is equal as far as it goes: libunwind may go further.
 * Undecided: libunwind stops before that, for want of a table that it reads or of memory; or it was
 * not asked, since another thread had it for long, or this is a child that was forked meanwhile.
 * Different: all else. */
#pragma once

#include "preload/table/thread.h"

struct second {
	uint32_t one_in;   /* new paths; 0: none is to be verified */
	uint32_t unwinder; /* libunwind is there */
};
extern HIDDEN struct second second;

/* From SCPROF_VERIFY_PATHS: a number, or NULL. False: it is none. Start-up only. */
HIDDEN bool second_choose(const char *one_in);

/* Load libunwind, if it is asked for, and has not been: from the library's constructor, or before a
 * session begins; where the loader may be called and memory be taken. */
HIDDEN void second_load(void);

/* This is a forked child, where nobody walks any more. */
HIDDEN void second_note_fork(void);

/* A file begins: in a forked child, too. */
HIDDEN void second_begin_file(void);

/* The path of t->found is new: count what no table led to, and walk it again if it is its turn. The
 * owning thread, bookkeeping marked; keeps signals held for about 0.1 ms, and makes system calls,
 * if it is. */
HIDDEN COLD void second_check_path(const struct scp_thread *t, const struct walk_start *from);
