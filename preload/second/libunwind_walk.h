// SPDX-License-Identifier: Apache-2.0
/* What libscprof.so and libscprof-unwind.so agree on. The second is an object of its own, because
 * libunwind exports _Unwind_RaiseException and backtrace, which must not come before those of the
 * target: it is loaded into no scope but its own, and only where a second opinion is asked for.
 *
 * Thread rules: one walk at a time, and with signals held: then nobody waits for libunwind's locks,
 * and a process that forks between two walks leaves none of them held.
 * Memory: what the first call takes, with malloc; afterwards libunwind maps a page for its pools
 * now and then. It runs on a stack of its own, and may use vector registers. */
#pragma once

#include "preload/unwind/unwind.h"

#define LIBUNWIND_WALK_OBJECT "libscprof-unwind.so"
#define LIBUNWIND_WALK_FRAMES 256u

enum libunwind_walk_end {
	LIBUNWIND_WALK_ENDED,	/* at the outermost frame */
	LIBUNWIND_WALK_STOPPED, /* for want of a table or of memory, or by an error */
	LIBUNWIND_WALK_FULL	/* there are more frames */
};

struct libunwind_walk {
	/* May the eight bytes at an address be read? */
	bool (*readable)(uint64_t address);
	/* The object that has a table for this instruction; false: there is none. */
	bool (*find)(uint64_t pc, struct unwind_object *object);
	uint64_t ra, cfa, fp; /* see unwind_register_begin */
	uint32_t most;	      /* frames to find, at most LIBUNWIND_WALK_FRAMES */
	uint32_t count;
	enum libunwind_walk_end end;
	uint64_t pc[LIBUNWIND_WALK_FRAMES];
	bool exact[LIBUNWIND_WALK_FRAMES]; /* interrupted there: no return address */
};

/* Once a process, before all walks: is it of this version (scprof_version.h), and ready? */
typedef bool libunwind_walk_begin_function(const char *version);
libunwind_walk_begin_function scprof_libunwind_begin;

/* Fill count, end, pc and exact; pc[0] is ra. */
typedef void libunwind_walk_function(struct libunwind_walk *w);
libunwind_walk_function scprof_libunwind_walk;
