// SPDX-License-Identifier: Apache-2.0
/* Offsets by minor version, of 64-bit builds; x86-64 and AArch64 have the same. */
#include "preload/python/python_layout.h"

#define OFFSET_MOST 16384u /* what an interpreter tells beyond it is none */

/* Objects: until 3.11 strings keep a wide copy, too. */
#define OBJECTS(ascii, compact)                                                                    \
	.object_type = 8, .bytes_size = 16, .bytes_data = 32, .text_length = 16, .text_state = 32, \
	.text_ascii = (ascii), .text_compact = (compact), .type_name = 24, .type_dealloc = 48

/* 3.8 to 3.10: a PyFrameObject an activation of the loop. */
#define FRAME_OBJECTS(lasti, unit, kind)                                                           \
	.finalizing = 16, .runtime_interpreters = 32, .interpreter_states = 8, .state_interp = 16, \
	.state_thread = 176, .state_frame = 24, .frame_code = 32, .frame_previous = 24,            \
	.frame_instruction = (lasti), .instruction_is_index = true, .instruction_unit = (unit),    \
	.code_filename = 104, .code_name = 112, .code_first_line = 40, .code_table = 120,          \
	.table = (kind), OBJECTS(48, 72)

/* Since 3.11: several _PyInterpreterFrame an activation. */
#define STATE(runtime, interpreters, states, thread, frame)                                        \
	.finalizing = (runtime), .runtime_interpreters = (interpreters),                           \
	.interpreter_states = (states), .state_interp = 16, .state_thread = (thread),              \
	.state_frame = (frame)
#define CFRAME(frame, previous)                                                                    \
	.has_cframe = true, .cframe_frame = (frame), .cframe_previous = (previous)
#define FRAMES(code, previous, owner, entry)                                                       \
	.frame_code = (code), .frame_previous = (previous), .frame_instruction = 56,               \
	.frame_owner = (owner), .has_entry_frame = (entry)
#define CODE(line, bytecode, traceable)                                                            \
	.code_filename = 112, .code_name = 128, .code_first_line = (line), .code_table = 136,      \
	.code_bytecode = (bytecode), .code_first_traceable = (traceable),                          \
	.table = PYTHON_POSITIONS

static const struct python_layout layouts[] = {
	{.minor = 8, FRAME_OBJECTS(104, 1, PYTHON_LNOTAB)},
	{.minor = 9, FRAME_OBJECTS(104, 1, PYTHON_LNOTAB)},
	{.minor = 10, FRAME_OBJECTS(96, 2, PYTHON_LINES)},
	{.minor = 11,
	 STATE(24, 40, 16, 152, 56),
	 CFRAME(8, 16),
	 FRAMES(32, 48, 69, false),
	 CODE(72, 184, 168),
	 OBJECTS(48, 72)},
	{.minor = 12,
	 STATE(24, 40, 72, 136, 56),
	 CFRAME(0, 8),
	 FRAMES(0, 8, 70, true),
	 CODE(68, 192, 176),
	 OBJECTS(40, 56)},
	{.minor = 13,
	 STATE(608, 632, 7344, 152, 72),
	 .interpreter_next = 7264,
	 FRAMES(0, 8, 70, true),
	 CODE(68, 200, 184),
	 OBJECTS(40, 56)},
};

const struct python_layout *python_layout_of(uint32_t minor)
{
	for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

/* The beginning of CPython 3.13's _Py_DebugOffsets (Include/internal/pycore_runtime.h), in words.
 */
enum told {
	TOLD_COOKIE,
	TOLD_VERSION,
	TOLD_FREE_THREADED,
	TOLD_RUNTIME_SIZE,
	TOLD_FINALIZING,
	TOLD_INTERPRETERS,
	TOLD_NEXT = 8,	 /* of an interpreter: size, id, next, threads_head */
	TOLD_STATE = 19, /* size, prev, next, interp, current_frame, thread_id */
	TOLD_FRAME = 28, /* size, previous, executable, instr_ptr, localsplus, owner */
	TOLD_CODE = 34,	 /* size, filename, name, qualname, linetable, firstlineno, argcount,
			    localsplusnames, localspluskinds, co_code_adaptive */
	TOLD_OBJECT = 44 /* size, ob_type */
};

static bool take(uint16_t *to, uint64_t told)
{
	*to = (uint16_t)told;
	return told < OFFSET_MOST;
}

bool python_layout_take(struct python_layout *l, const void *runtime, bool *free_threaded)
{
	static const char cookie[8] = {'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'};
	const uint64_t *told = runtime;
	*free_threaded = false;
	if (!bytes_equal(runtime, cookie, sizeof cookie))
		return false;
	*free_threaded = told[TOLD_FREE_THREADED] != 0;
	return !*free_threaded && told[TOLD_VERSION] >> 16 == (3u << 8 | l->minor) &&
	       take(&l->finalizing, told[TOLD_FINALIZING]) &&
	       take(&l->runtime_interpreters, told[TOLD_INTERPRETERS]) &&
	       take(&l->interpreter_next, told[TOLD_NEXT]) &&
	       take(&l->interpreter_states, told[TOLD_NEXT + 1]) &&
	       take(&l->state_interp, told[TOLD_STATE + 3]) &&
	       take(&l->state_frame, told[TOLD_STATE + 4]) &&
	       take(&l->state_thread, told[TOLD_STATE + 5]) &&
	       take(&l->frame_previous, told[TOLD_FRAME + 1]) &&
	       take(&l->frame_code, told[TOLD_FRAME + 2]) &&
	       take(&l->frame_instruction, told[TOLD_FRAME + 3]) &&
	       take(&l->frame_owner, told[TOLD_FRAME + 5]) &&
	       take(&l->code_filename, told[TOLD_CODE + 1]) &&
	       take(&l->code_name, told[TOLD_CODE + 3]) &&
	       take(&l->code_table, told[TOLD_CODE + 4]) &&
	       take(&l->code_first_line, told[TOLD_CODE + 5]) &&
	       take(&l->code_bytecode, told[TOLD_CODE + 9]) &&
	       take(&l->object_type, told[TOLD_OBJECT + 1]);
}
