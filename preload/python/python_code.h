// SPDX-License-Identifier: Apache-2.0
/* Code objects that were met on a call path.
 *
 * A code object may be freed, and its address be another's then. Every code object dies through
 * PyCode_Type.tp_dealloc: a function of ours stands there, marks the code object as dead if it is
 * known here, and goes on to the original. Whether it lives is a word (python_code.serial) that
 * every path through it notes: 0, or another number, for another object.
 *
 * A function is recorded (SCP_REC_SOURCE_FUNCTION) once for equal code: one file, name, first line
 * and line table; its lines (SCP_REC_SOURCE_LINE) where a call was made. So a program that compiles
 * the same text again and again does not fill the profile.
 *
 * Thread rules: lookups take no lock; something new is added by modules_exclusive. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_CODE_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_CODE_H

#include "preload/python/python_layout.h"
#include "preload/python/python_stack.h"
#include "preload/table/thread.h"

struct python_code {
	uint64_t serial; /* of the code object that lives at `address`; 0: it died */
	uint64_t address;
	uint32_t function; /* id of its record */
	bool is_below;
	struct python_code *next; /* of the same bucket */
};

enum python_watch {
	PYTHON_WATCH_NEVER, /* tp_dealloc lies in memory that cannot be written, others replaced it
			       again and again, or no system call may be made */
	PYTHON_WATCH_LATER, /* another thread is at it, or the thread's session is over */
	PYTHON_WATCH_SEEN
};

/* From now on deaths are seen, of this interpreter's code objects. Cheap where they are already. */
HIDDEN enum python_watch python_code_watch(const struct scp_thread *t,
					   const struct python_layout *layout);

/* They are not, and no code is known: every serial is 0. What another library has put in the place
 * of ours stays there, and ours behind it; where the interpreter was unloaded nothing is written.
 * It begins again in the next session. Neither is called in a step of modules_exclusive. */
HIDDEN void python_code_put_back(void);

/* The code object at `address`, which the caller's own frame holds; added if need be. NULL: it is
 * none, it is dying, deaths are not seen, or there is no room: for 65536 functions of a profile and
 * half a million addresses of code objects. */
HIDDEN const struct python_code *python_code_find(struct scp_thread *t,
						  const struct python_layout *layout,
						  uint64_t address);

/* The frame of a line: `instruction` is the offset into the bytecode in bytes, below 0: none was
 * executed yet. Made, and recorded, if need be. Frame 0: no room (for 262144 places of a profile),
 * or the code object is not known any more. */
HIDDEN struct python_frame python_code_line(struct scp_thread *t,
					    const struct python_layout *layout,
					    const struct python_code *code, int64_t instruction);

/* The file that knew them is gone: every serial is 0, and ids begin again. In a step of
 * modules_exclusive, or while no other thread records. */
HIDDEN void python_code_forget(void);

/* May these bytes of the interpreter's memory be read? Pages that were found readable are
 * remembered. In python_memory.c. */
HIDDEN bool python_can_read(struct scp_thread *t, uint64_t address, uint64_t bytes);

#endif
