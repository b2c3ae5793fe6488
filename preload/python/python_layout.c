// SPDX-License-Identifier: Apache-2.0
/* Offsets by minor version, of 64-bit builds; x86-64 and AArch64 have the same. */
#include "preload/python/python_layout.h"

#include "arch_call.h"

#define OFFSET_MOST 16384u /* what an interpreter tells beyond it is none */
#define JUMPS	    3u	   /* that lead into the loop: bytes that look like one are rare */

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

/* Since 3.14. */
#define TAGGED_FRAMES FRAMES(0, 8, 74, true), .code_tags = 3, CODE(68, 208, 192), OBJECTS(40, 56)

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
	{.minor = 14, STATE(784, 808, 7344, 152, 72), .interpreter_next = 7272, TAGGED_FRAMES},
	{.minor = 15,
	 STATE(912, 936, 7336, 176, 72),
	 .interpreter_next = 7264,
	 .has_base_frame = true,
	 TAGGED_FRAMES},
};

const struct python_layout *python_layout_of(uint32_t minor)
{
	for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

/* The beginning of _Py_DebugOffsets (since 3.13; Include/internal/pycore_debug_offsets.h), in
 * words.
 */
enum told {
	TOLD_COOKIE,
	TOLD_VERSION,
	TOLD_FREE_THREADED,
	TOLD_RUNTIME_SIZE,
	TOLD_FINALIZING,
	TOLD_INTERPRETERS,
	TOLD_NEXT = 8 /* of an interpreter: size, id, next, threads_head */
};

/* Where its further parts begin, by minor version from 13 on. */
static const struct told_parts {
	uint8_t state, state_thread; /* size, prev, next, interp, current_frame; thread_id */
	uint8_t frame;		     /* size, previous, executable, instr_ptr, localsplus, owner */
	uint8_t code;	/* size, filename, name, qualname, linetable, firstlineno, argcount,
			   localsplusnames, localspluskinds, co_code_adaptive */
	uint8_t object; /* size, ob_type */
} told_parts[] = {{19, 24, 28, 34, 44}, {22, 27, 31, 39, 50}, {22, 30, 39, 47, 58}};

static bool take(uint16_t *to, uint64_t told)
{
	*to = (uint16_t)told;
	return told < OFFSET_MOST;
}

bool python_layout_take(struct python_layout *l, const void *runtime, bool *free_threaded)
{
	static const char cookie[8] = {'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'};
	const uint64_t *told = runtime;
	const struct told_parts *at = &told_parts[l->minor - 13];
	*free_threaded = false;
	if (!bytes_equal(runtime, cookie, sizeof cookie))
		return false;
	*free_threaded = told[TOLD_FREE_THREADED] != 0;
	return !*free_threaded && told[TOLD_VERSION] >> 16 == (3u << 8 | l->minor) &&
	       take(&l->finalizing, told[TOLD_FINALIZING]) &&
	       take(&l->runtime_interpreters, told[TOLD_INTERPRETERS]) &&
	       take(&l->interpreter_next, told[TOLD_NEXT]) &&
	       take(&l->interpreter_states, told[TOLD_NEXT + 1]) &&
	       take(&l->state_interp, told[at->state + 3]) &&
	       take(&l->state_frame, told[at->state + 4]) &&
	       take(&l->state_thread, told[at->state_thread]) &&
	       take(&l->frame_previous, told[at->frame + 1]) &&
	       take(&l->frame_code, told[at->frame + 2]) &&
	       take(&l->frame_instruction, told[at->frame + 3]) &&
	       take(&l->frame_owner, told[at->frame + 5]) &&
	       take(&l->code_filename, told[at->code + 1]) &&
	       take(&l->code_name, told[at->code + 3]) &&
	       take(&l->code_table, told[at->code + 4]) &&
	       take(&l->code_first_line, told[at->code + 5]) &&
	       take(&l->code_bytecode, told[at->code + 9]) &&
	       take(&l->object_type, told[at->object + 1]);
}

bool python_layout_jumps(const uint8_t *copy, uint64_t bytes, uint64_t address, uint64_t loop,
			 uint64_t loop_bytes)
{
	unsigned jumps = 0;
	if (bytes > PYTHON_LOOP_BYTES)
		return false;
	for (uint64_t i = 0; i + ARCH_JUMP_BYTES <= bytes && jumps < JUMPS; i += ARCH_JUMP_STEP) {
		uint64_t to = arch_jump_target(copy + i);
		to += to ? address - (uint64_t)copy : 0;
		jumps += to > loop && to - loop < loop_bytes;
	}
	return jumps == JUMPS;
}
