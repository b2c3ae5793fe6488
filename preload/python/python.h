// SPDX-License-Identifier: Apache-2.0
/* CPython's own call stack, 3.8 to 3.15, read from its memory: no function of the interpreter is
 * called on the way, and the GIL is not asked for. A thread's frames are changed by itself alone,
 * and it is in one of our wrappers meanwhile.
 *
 * All words that decide are noted (thread.found.noted) in the order in which they were read, as
 * those of the C stack are: as long as they are equal the stack is the same. The first is the
 * thread's slot of pthread_getspecific with its PyThreadState.
 *
 * Nothing here is trusted: each pointer is checked before it is followed (its page can be read, its
 * object has the type it should have), and what does not fit ends the path (python_stack.cut).
 *
 * Thread rules: for the owning thread, with bookkeeping marked. */
#pragma once

#include "preload/system/util.h"
#include "preload/table/thread.h"

/* What a return address is to the interpreter. */
enum python_kind {
	PYTHON_NONE = 0, /* no code of an interpreter */
	PYTHON_OWN, /* the interpreter's own: no part of the path where there are Python frames */
	PYTHON_LOOP /* _PyEval_EvalFrameDefault, which executes Python functions */
};

/* Slow path: when a row of call-frame information is made. Looks whether the object is an
 * interpreter, when it is first met: then process_epoch's generation is raised, and the walk in
 * progress is to be made again. */
HIDDEN enum python_kind python_kind_of(uint64_t pc);

/* Is there an interpreter that can be read in this process? */
HIDDEN bool python_is_there(void);

/* A library is going to be closed, or was: it may be the interpreter. Meanwhile that is read only
 * by threads that are inside of it. */
HIDDEN void python_note_closing(bool begins);

/* Must the stack have a return address in the interpreter (see python_is_inside), if that is to be
 * read? */
HIDDEN bool python_is_closing(void);
HIDDEN bool python_is_inside(uint64_t pc);

/* Fill t->python. False: this thread has no Python frames, or there is no interpreter (the words
 * that say so are noted). At most `depth` frames. */
HIDDEN bool python_read(struct scp_thread *t, uint32_t depth);

/* Is the call with this stack pointer one that the interpreter makes of its own functions, while
 * python_read asks it for the thread's state? It is no call of the program. */
HIDDEN bool python_is_asked(uint64_t cfa);

/* The profile that knew functions and lines is gone: a forked child, another session. */
HIDDEN void python_forget(void);

/* Put back what was changed in the interpreter's memory (PyCode_Type.tp_dealloc): recording ends
 * and the process goes on. No code is known then: every serial is 0. What another library has put
 * in the place of ours stays there, and ours behind it; where the interpreter was unloaded nothing
 * is written. It begins again with the next python_read. Not inside of modules_enter. */
HIDDEN void python_put_back(void);
