// SPDX-License-Identifier: GPL-3.0-or-later
/* CPython 3.8 to 3.15 in another process, by preload/python's layouts. All of its memory may change
 * while it is read, or be crafted: each object is checked by its type, each list ends, and each
 * text and table has a most. Nothing of the process is stopped or written. */
#pragma once

#include "collector/attach/safe_point/safe_point_private.h"
#include "preload/python/python_layout.h"
#include "profile/profile.h"

#define INTERPRETER_FRAMES 512
#define INTERPRETER_FRAME  112u /* bytes that are looked at of one */

/* A Python frame as it stands in memory; `at`: how far it is in its bytecode, bytes; `ends`: the C
 * function that executes it executes none that is further out. */
struct interpreter_frame {
	uint64_t address, code;
	int64_t at;
	bool ends;
};

/* Frames of an earlier instant, from the innermost one outwards: all that there were, or so many.
 */
#define INTERPRETER_CHAIN 256u
struct interpreter_chain {
	uint64_t frames;
	struct interpreter_chained {
		uint64_t address;
		uint8_t bytes[INTERPRETER_FRAME];
	} frame[INTERPRETER_CHAIN];
};

/* The memory that frames lie in, as it was read last; zero: not yet. Those on the C stack are taken
 * from a copy of it, of an earlier instant, where there is one. With a chain no other frames are
 * looked at. */
struct interpreter_memory {
	const struct interpreter_chain *chain; /* NULL: there is none */
	uint64_t found;			       /* which of it, the last time */
	const uint8_t *stack;
	uint64_t stack_at, start;
	size_t stack_bytes, bytes;
	uint8_t data[4096 + INTERPRETER_FRAME];
};

struct interpreter {
	pid_t pid;
	const struct safe_point_object
		*object; /* that holds the interpreter; NULL: there is none */
	struct python_layout layout;
	uint64_t runtime;
	/* _PyEval_EvalFrameDefault, and where the compiler put parts of it that have no symbol */
	struct safe_point_place loop[2];
	struct {
		pid_t tid; /* as the process numbers it */
		uint64_t state;
	} * thread; /* to be freed */
	size_t threads;
};

/* Looks for it among objects, which stay where they are, with their tables of symbols, and of
 * frames: without those the loop's parts that have no symbol are not known. */
void interpreter_open(struct interpreter *p, pid_t pid, const struct safe_point_object *object,
		      size_t count);
/* Fill in `loop` (interpreter_open does). */
void interpreter_find_loop(struct interpreter *p);
/* Is an address in the code that executes Python functions? */
bool interpreter_executes(const struct interpreter *p, uint64_t at);
/* Is the object of this path the interpreter, and nothing else? */
bool interpreter_is_named(const char *path);
/* Looks for the states of threads, by the numbers that the process has for them. */
void interpreter_list(struct interpreter *p, const pid_t *inner_tid, size_t tids);

/* The state of a thread that was listed, and its innermost frame; 0: none. */
uint64_t interpreter_state(const struct interpreter *p, pid_t inner_tid);
uint64_t interpreter_first(const struct interpreter *p, pid_t inner_tid);
/* Frames from there outwards, to the last one of its C function where only `one` is wanted; their
 * number, up to `most`. A few hundred system calls at most. */
size_t interpreter_read(const struct interpreter *p, uint64_t at, bool one,
			struct interpreter_memory *m, struct interpreter_frame *frame, size_t most);

/* A code object, and where its bytecode lies. Another that takes its place differs in `identity`,
 * but for a chance of 2^-64. `prepared`: so many bytes of it come before the function begins. */
struct interpreter_code {
	uint64_t code, start, end, identity;
	int64_t prepared;
};
/* False: there is none. */
bool interpreter_code(const struct interpreter *p, uint64_t at, struct interpreter_code *code);

/* As a frame of `names`. False: it is none, or one that no traceback has. */
bool interpreter_name(const struct interpreter *p, uint64_t code, int64_t at, struct profile *names,
		      struct prof_frame *out);
