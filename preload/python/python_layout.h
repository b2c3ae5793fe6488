// SPDX-License-Identifier: Apache-2.0
/* Where CPython has what: offsets in bytes into its structures, one table a minor version. They are
 * those of ordinary builds; debug builds and free-threaded ones have others, which the checks of
 * python.c refuse. Source: the headers of each version, with which
 * tests/commands/python/layout.bats compares them. Since 3.13 the interpreter tells most of them
 * itself (_Py_DebugOffsets). */
#pragma once

#include "preload/system/util.h"

/* How a code object tells lines. */
enum python_table {
	PYTHON_LNOTAB = 1, /* 3.8, 3.9: co_lnotab, pairs of increments (Objects/lnotab_notes.txt) */
	PYTHON_LINES,	   /* 3.10: co_linetable, pairs of lengths and increments (PEP 626) */
	PYTHON_POSITIONS   /* since 3.11: lines and columns (Objects/locations.md) */
};

struct python_layout {
	uint32_t minor;	     /* 3.minor */
	uint16_t finalizing; /* in _PyRuntime: the thread state that finalizes, or NULL */
	/* For readers from outside: the first interpreter in _PyRuntime, and in that the first
	 * thread's state, whose second word leads to the next one. */
	uint16_t runtime_interpreters, interpreter_states, interpreter_next;
	/* PyThreadState */
	uint16_t state_interp, state_thread;
	uint16_t state_frame; /* to the frame, or the _PyCFrame (3.11, 3.12) */
	bool has_cframe;
	uint16_t cframe_frame, cframe_previous;
	/* PyFrameObject (3.8 to 3.10), _PyInterpreterFrame (since 3.11) */
	uint16_t frame_code, frame_previous, frame_instruction, frame_owner;
	bool has_entry_frame; /* since 3.12: where the interpreter's loop begins, on the C stack */
	bool has_base_frame;  /* since 3.15: behind the outermost frame is one more of that kind */
	uint8_t code_tags;    /* since 3.14: bits of frame_code that are none of the address */
	bool instruction_is_index; /* an int, times instruction_unit; or a pointer into code */
	uint8_t instruction_unit;  /* bytes: 1 (3.8, 3.9), 2 (3.10) */
	/* PyCodeObject */
	uint16_t code_filename, code_name, code_first_line, code_table, code_bytecode;
	uint16_t code_first_traceable; /* since 3.11, an int: instructions before it are a call's
					  preparation, and no frame of a traceback. 0: none */
	enum python_table table;
	/* objects */
	uint16_t object_type, bytes_size, bytes_data;
	uint16_t text_length, text_state, text_ascii, text_compact; /* PyUnicodeObject */
	uint16_t type_name, type_dealloc;
	/* of this interpreter, found when it was */
	uint64_t code_type, frame_type, text_type, bytes_type; /* addresses of the types */
};

/* The lowest owner (enum _frameowner) of an entry frame. */
#define PYTHON_ENTRY_FRAME 3

/* What the interpreter itself tells (3.13: _PyRuntime begins with _Py_DebugOffsets), where it
 * differs. False: it is free-threaded, or tells nothing that can be. */
HIDDEN bool python_layout_take(struct python_layout *layout, const void *runtime,
			       bool *free_threaded);

/* Is code, of which this is a copy, a part of the interpreter's loop that the compiler moved
 * elsewhere? Then some of its jumps lead into the loop. Longer code is not looked through. */
#define PYTHON_LOOP_BYTES (UINT64_C(1) << 20)
HIDDEN bool python_layout_jumps(const uint8_t *copy, uint64_t bytes, uint64_t address,
				uint64_t loop, uint64_t loop_bytes);

/* That of 3.`minor`, without addresses. NULL: not known. */
HIDDEN const struct python_layout *python_layout_of(uint32_t minor);

/* Which line an instruction belongs to, by the table of its code object: what PyCode_Addr2Line of
 * each version says. Pure functions of bytes that nobody vouches for: nothing beyond them is read,
 * and each is looked at once. */

struct python_lines {
	enum python_table kind;
	int32_t first_line;
	const uint8_t *table; /* NULL: it is not known */
	uint64_t bytes;
};

/* As the tables have it: lines from 1, columns from 0 in bytes, -1: not known. */
struct python_place {
	int32_t line, end_line, column, end_column;
	/* Of the instructions that share this place, in bytes, or PYTHON_TABLE_BEFORE. Before 3.11:
	 * the instruction itself. */
	uint32_t start;
};
#define PYTHON_TABLE_BEFORE UINT32_MAX /* no instruction was executed yet: the function's line */

/* Of the instruction at this offset in bytes; below 0: none was executed yet. */
HIDDEN struct python_place python_table_find(const struct python_lines *lines, int64_t instruction);
