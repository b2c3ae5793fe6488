// SPDX-License-Identifier: Apache-2.0
/* What the files of this room share: the interpreter, its objects, frames, and their records. */
#pragma once

#include "include/scprof_format.h"
#include "preload/python/python_layout.h"
#include "preload/python/python_stack.h"
#include "preload/system/util.h"
#include "preload/table/thread.h"

/* The interpreter of this process: the first one whose loop is met on a call path. Objects are
 * looked through once (until code is unloaded), by their dynamic symbols. */

struct python_interpreter {
	struct python_layout layout;
	uint64_t start, end, base;   /* of its object */
	uint64_t loop, loop_end;     /* _PyEval_EvalFrameDefault... */
	uint64_t cold, cold_bytes;   /* ...and its part for what is rare; 0: not met */
	uint64_t finalizing;	     /* address of the word in _PyRuntime */
	uint64_t (*own_state)(void); /* PyGILState_GetThisThreadState, which only reads */
	uint64_t variable;   /* since 3.15, that has it: module above, offset below; 0: not found */
	bool is_module;	     /* its object is the interpreter, and nothing else */
	bool is_program;     /* its object is the program */
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
 * Thread rules: lookups take no lock; something new is added with the right of modules_enter. */

struct python_code {
	uint64_t serial; /* of the code object that lives at `address`; 0: it died */
	uint64_t address;
	uint32_t function;	  /* id of its record */
	struct python_code *next; /* of the same bucket */
};

enum python_watch {
	PYTHON_WATCH_NEVER, /* tp_dealloc lies in memory that cannot be written, others replaced it,
			       or no system call may be made */
	PYTHON_WATCH_LATER, /* another thread is at it, or the thread's session is over */
	PYTHON_WATCH_SEEN
};

/* From now on deaths are seen, of this interpreter's code objects. Cheap where they are already. */
HIDDEN enum python_watch python_code_watch(const struct scp_thread *t,
					   const struct python_layout *layout);

/* The code object at `address`, which the caller's own frame holds; added if need be. NULL: it is
 * none, it is dying, deaths are not seen, or there is no room: for 65536 functions of a profile and
 * half a million addresses of code objects. */
HIDDEN const struct python_code *python_code_find(struct scp_thread *t,
						  const struct python_layout *layout,
						  uint64_t address);

/* The frame of a line: `instruction` is the offset into the bytecode in bytes, below 0: none was
 * executed yet. Made, and recorded, if need be. 0: no room (for 262144 places of a profile),
 * or the code object is not known any more. */
HIDDEN uint64_t python_code_line(struct scp_thread *t, const struct python_layout *layout,
				 const struct python_code *code, int64_t instruction);

/* The file that knew them is gone: every serial is 0, and ids begin again. With the right
 * of modules_enter, or while no other thread records. */
HIDDEN void python_code_forget(void);

/* May these bytes of the interpreter's memory be read? Pages that were found readable are
 * remembered. */
HIDDEN bool python_can_read(struct scp_thread *t, uint64_t address, uint64_t bytes);
HIDDEN void python_forget_pages(struct scp_thread *t);

/* The same of an object or a frame, which is aligned. */
static inline bool python_can_follow(struct scp_thread *t, uint64_t address, uint64_t bytes)
{
	return !(address & 7) && python_can_read(t, address, bytes);
}

/* Text and bytes objects of the interpreter, checked before they are read. Slow path only. */

#define python_object_word(address) (*(const uint64_t *)(address))
#define python_object_half(address) (*(const uint32_t *)(address))

/* A code object: of what is read of it its table lies last, or since 3.11 its bytecode. */
static inline bool python_object_is_code(struct scp_thread *t, const struct python_layout *l,
					 uint64_t address)
{
	uint16_t last = l->code_bytecode ? l->code_bytecode : l->code_table;
	return python_can_follow(t, address, last + 8u) &&
	       python_object_word(address + l->object_type) == l->code_type;
}

/* A str as UTF-8, NUL-terminated, in `room` bytes; what is too long loses its beginning, or its
 * end. Control characters, and what UTF-8 cannot have, become U+FFFD. False: it is none, or one
 * whose characters lie elsewhere (a subclass). */
enum python_object_keep { PYTHON_OBJECT_BEGINNING, PYTHON_OBJECT_END };
HIDDEN bool python_object_text(struct scp_thread *t, const struct python_layout *layout,
			       uint64_t address, char *to, uint32_t room,
			       enum python_object_keep keep);

/* First line and table of a code object, which was found to be one. Tables of more than 1 MB are
 * not read (NULL). False: there is none. */
HIDDEN bool python_object_lines(struct scp_thread *t, const struct python_layout *layout,
				uint64_t code, struct python_lines *lines);

/* Functions and lines in the profile (SCP_OPTIONAL_SOURCE), each once. All but looking up is with
 * the right of modules_enter. */

/* Of one file: a program that makes up code for ever is not to fill it. */
#define PYTHON_FUNCTIONS_MAX 65536u
#define PYTHON_LINES_MAX     262144u

struct python_function {
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	struct python_lines lines;
};

/* The id of a function with this name, file, first line and table; recorded at need. 0: no room. */
HIDDEN uint32_t python_record_function(const struct python_function *f);

/* The id of a place in it, likewise: that of this instruction from now on. */
HIDDEN uint32_t python_record_line(uint32_t function, uint32_t instruction,
				   const struct python_place *p);
/* That of an instruction; 0: not known. */
HIDDEN uint32_t python_record_find(uint32_t function, uint32_t instruction);

/* The file that has them is gone. */
HIDDEN void python_record_forget(void);

/* The calling thread's PyThreadState, and the words by which it is found.
 *
 * An interpreter that finalizes frees the states of other threads, which still run: they have no
 * frames from then on. Its word in _PyRuntime is noted first, so no word of a state is compared
 * unless it is as it was; it is set before anything is freed. What the finalizing thread itself
 * finds is never remembered, since its state will be freed, too. */

/* 0: it has none. t->python.cut is set where there may be frames that must not be read. */
HIDDEN uint64_t python_state_find(struct scp_thread *t, struct python_interpreter *p);

/* Note a word, which can be read; its value. False: there is no room for more. */
static inline bool python_state_note(struct scp_thread *t, uint64_t address, uint64_t *value)
{
	struct walk_result *r = &t->found;
	if (unlikely(r->noted_count >= PYTHON_WORDS_MAX))
		return false;
	*value = *(volatile uint64_t *)address;
	r->noted[r->noted_count++] = (struct noted_word){address, *value};
	return true;
}

/* What was found must not be remembered: note a word that will be another. */
HIDDEN void python_state_note_change(struct scp_thread *t);

/* Fill t->python, which is empty before, and note what was read. */
HIDDEN void python_frames_read(struct scp_thread *t, const struct python_interpreter *p,
			       uint64_t state, uint32_t depth);

/* The innermost frame that is none of the loop's own, readable; 0: none. It notes words. */
HIDDEN uint64_t python_frames_innermost(struct scp_thread *t, const struct python_layout *layout,
					uint64_t state);

/* What python_code_watch.c tells python_code.c. */

/* The code object at this address dies now: any thread, no lock. */
HIDDEN void python_code_die(uint64_t address);

/* Are deaths seen from now on? If not, no code is known any more. */
HIDDEN void python_code_allow(bool seen);
