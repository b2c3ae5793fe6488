// SPDX-License-Identifier: Apache-2.0
/* The interpreter of this process: the first one whose loop is met on a call path. Objects are
 * looked through once (until code is unloaded), by their dynamic symbols. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_FIND_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_format.h"
#include "preload/python/python_layout.h"
#include "preload/system/util.h"

struct python_interpreter {
	struct python_layout layout;
	uint64_t start, end, base;   /* of its object */
	uint64_t loop, loop_end;     /* _PyEval_EvalFrameDefault... */
	uint64_t cold, cold_bytes;   /* ...and its part for what is rare; 0: not met */
	uint64_t finalizing;	     /* address of the word in _PyRuntime */
	uint64_t (*own_state)(void); /* PyGILState_GetThisThreadState, which only reads */
	uint64_t (*main)(void), (*latest)(void); /* PyInterpreterState_Main, _Head, likewise */
	bool is_module;	     /* its object is the interpreter, and nothing else */
	bool is_checked;     /* its layout, by a frame: see python.c */
	uint32_t generation; /* of process_epoch, when it was last seen loaded */
};

/* NULL: none was met, or it is refused. */
HIDDEN struct python_interpreter *python_find_interpreter(void);

/* It is not read any more. */
HIDDEN void python_find_refuse(enum scp_python_state why);

/* In a forked child: no other thread looks through an object. */
HIDDEN void python_find_forget(void);

/* Tell the profile's header which interpreter was met, and why it is not read. */
HIDDEN void python_find_tell(void);

#endif
