// SPDX-License-Identifier: GPL-3.0-or-later
/* show_layout MINOR: the library's offsets into structures of CPython 3.MINOR, a line each. */
#include <stdio.h>
#include <stdlib.h>

#include "preload/python/python_layout.h"

#define SHOW(field) printf(#field " %u\n", (unsigned)l->field)

static void show_frames(const struct python_layout *l)
{
	SHOW(runtime_interpreters);
	SHOW(interpreter_states);
	SHOW(interpreter_next);
	SHOW(state_interp);
	SHOW(state_thread);
	SHOW(state_frame);
	if (l->has_cframe)
		SHOW(cframe_frame);
	if (l->has_cframe)
		SHOW(cframe_previous);
	SHOW(frame_code);
	SHOW(frame_previous);
	SHOW(frame_instruction);
	if (l->minor >= 11)
		SHOW(frame_owner);
	SHOW(finalizing);
}

static void show_objects(const struct python_layout *l)
{
	SHOW(code_filename);
	SHOW(code_name);
	SHOW(code_first_line);
	SHOW(code_table);
	if (l->minor >= 11)
		SHOW(code_bytecode);
	if (l->minor >= 11)
		SHOW(code_first_traceable);
	SHOW(object_type);
	SHOW(bytes_size);
	SHOW(bytes_data);
	SHOW(text_length);
	SHOW(text_state);
	SHOW(text_ascii);
	SHOW(text_compact);
	SHOW(type_name);
	SHOW(type_dealloc);
	printf("table %d\n", (int)l->table);
	printf("entry frames %d\n", l->has_entry_frame);
	printf("instruction unit %d\n", l->instruction_unit);
}

int main(int argc, char **argv)
{
	const struct python_layout *l =
		python_layout_of(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0);

	if (!l)
		return 1;
	show_frames(l);
	show_objects(l);
	return 0;
}
