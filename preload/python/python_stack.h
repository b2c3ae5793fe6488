// SPDX-License-Identifier: Apache-2.0
/* The Python functions that the calling thread is in, as one walk found them: kept in struct
 * scp_thread. What reads them is python.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PYTHON_FRAMES_MAX 256u /* of one walk; further out the path is truncated */

/* Words that are noted: of each frame its code object, whether that lives, its instruction, and the
 * frame further out; of each run two; and the way to the first. */
#define PYTHON_WORDS_MAX (4 * PYTHON_FRAMES_MAX + 2 * PYTHON_FRAMES_MAX + 8)

/* Frames that one activation of the interpreter's loop (_PyEval_EvalFrameDefault) executes: since
 * CPython 3.11 a call from Python to Python needs no C frame. */
struct python_run {
	uint64_t anchor;       /* an address within the C frame of the loop; 0: it is the next loop
				  further out than the run before (before 3.11, and the last run of
				  a stack that is cut or full) */
	uint32_t first, count; /* of python_stack.frame, innermost first */
};

/* Innermost first. */
struct python_stack {
	uint32_t frames, runs;
	bool cut;  /* what is further out could not be read, or is no frame */
	bool full; /* there are more, but PYTHON_FRAMES_MAX or filter.depth are reached */
	uint64_t frame[PYTHON_FRAMES_MAX]; /* SCP_FRAME: SCP_FRAME_SOURCE, and the id of a line */
	struct python_run run[PYTHON_FRAMES_MAX];
};

/* Lines by code object and instruction, remembered: a thread's own. */
#define PYTHON_ROWS 1024u
struct python_code;
struct python_row {
	uint64_t code;			 /* address; 0: the row is empty */
	const struct python_code *known; /* NULL: never a frame of the path */
	uint64_t serial;		 /* of `known` */
	uint64_t instruction;		 /* the word in the frame */
	uint64_t frame;			 /* as there */
};

struct python_rows {
	uint32_t generation; /* of process_epoch, that they hold for; 0: of none, all is empty */
	uint32_t reads;	     /* of stacks */
	struct python_row row[PYTHON_ROWS];
	uint64_t page[1024]; /* pages outside of the stack that were found readable */
};
