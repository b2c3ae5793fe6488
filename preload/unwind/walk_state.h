// SPDX-License-Identifier: Apache-2.0
/* A thread keeps rows of call-frame information, by return address, from one walk of the stack to
 * the next. The walks are in preload/call/walk.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where a walk begins: as unwind_register_begin, and the stack pointer that a wrapped call around
 * this one has as thread.open; 0: none is looked for. */
struct walk_start {
	uint64_t ra, sp, fp;
	uintptr_t outer;
};

/* Is that call in progress? */
enum walk_outer { OUTER_UNKNOWN = 0, OUTER_FOUND, OUTER_GONE };

/* Of one walk; a deeper one takes the full unwinder. CPython before 3.11 has three C frames for a
 * Python function. */
#define WALK_FRAMES_MAX 1024u

struct noted_word {
	uint64_t address, value;
};

/* How to step out of a function, from one return address. */
enum row_kind {
	ROW_NONE = 0,
	ROW_SP,	 /* CFA = stack pointer + cfa_offset */
	ROW_FP,	 /* CFA = frame pointer + cfa_offset */
	ROW_END, /* the outermost frame */
	ROW_FULL /* none of these: only the full unwinder can */
};

/* A cached row: half a cache line. Offsets to the CFA are in words of eight bytes. */
struct row {
	uint64_t pc;
	uint64_t frame;	     /* as SCP_FRAME */
	uint32_t generation; /* of process_epoch */
	int32_t cfa_offset;  /* bytes */
	int16_t ra_words;
	int16_t fp_words; /* 0: the frame pointer is that of the caller */
	uint8_t kind;	  /* enum row_kind */
	bool is_ours;	  /* in libscprof.so: no frame of the path */
	uint8_t python;	  /* enum python_kind */
};

/* A set: the row that was wanted last comes first. */
struct row_set {
	struct row row[2];
};

/* A node of path_tree.h, and the hash of the frames that lead to it. */
struct path_place {
	uint32_t node, hash;
};

struct walk {
	struct row_set *rows; /* NULL: none yet */
	uint32_t sets;	      /* a power of two */
	uint32_t filled;      /* rows made since the table has this size */
	bool rows_lost;	      /* no room for a larger one */
	bool merges;	      /* there may be Python frames in between, see walk.h */
};
