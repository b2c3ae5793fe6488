// SPDX-License-Identifier: GPL-3.0-or-later
/* What the parts of python.c share: the interpreter of a process, and its code objects as they were
 * read (python_code.c). */
#pragma once

#include "collector/python/interpreter.h"
#include "collector/sample/sample_private.h"

#define PYTHON_NAMES 4096u /* a power of two */
#define PYTHON_HASH  UINT64_C(0x9e3779b97f4a7c15)
#define CHECK_NS     UINT64_C(500000000)

struct known_code {
	struct interpreter_code c;
	uint64_t checked_ns;
};

struct sample_python {
	struct safe_point_object object;
	struct interpreter interpreter;
	uint32_t image;
	bool alone;
	pid_t tid, inner_tid;
	bool ages;
	unsigned watches;		  /* since the last chain */
	uint64_t watch_ns;		  /* not before that for a thread's state again */
	unsigned left;			  /* of WORK */
	struct sample_places *places;	  /* the image's */
	struct interpreter_memory memory; /* as it is for one sample */
	struct known_code *code;	  /* by where their bytecode begins */
	uint32_t codes;
	struct {
		uint64_t key;
		struct prof_frame frame;
		bool named;
	} name[PYTHON_NAMES];
	uint64_t vain, vain_ns; /* behind which instruction no code was found, and when */
};

/* The known code object whose bytecode holds an address; NULL: none. */
const struct interpreter_code *code_at(struct sample_python *y, uint64_t at, uint64_t now_ns);
/* The code object at `code`; NULL: there is none, or too much was read for the sample. */
const struct interpreter_code *code_of(struct sample_python *y, uint64_t code, uint64_t now_ns);
/* Looks for one that is not known yet and whose bytecode holds an address; NULL: it is not found.
 */
const struct interpreter_code *code_search(struct sample_python *y, const struct words *w,
					   uint64_t at, uint64_t now_ns);
