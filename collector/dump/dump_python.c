// SPDX-License-Identifier: GPL-3.0-or-later
/* From the runtime to its interpreters, to their threads, to the frames of each. All of it may
 * change while it is read, or be crafted: each object is checked by its type, and each list ends.
 */
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "collector/dump/dump_private.h"
#include "include/scprof_format.h"

#define INTERPRETERS  64
#define RUNTIME_BYTES 512u
#define FRAME_BYTES   112u
#define CODE_BYTES    256u
#define TABLE_BYTES   (1u << 20)
#define ENTRY_FRAME   3 /* owner of a frame that is none: FRAME_OWNED_BY_CSTACK */
#define STATES	      65536

static uint64_t word(const struct dump_python *p, uint64_t at)
{
	uint64_t value = 0;

	return at != 0 && memory_read(p->pid, at, &value, sizeof(value)) ? value : 0;
}

static uint64_t word_of(const uint8_t *bytes, uint16_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return value;
}

static uint64_t find(const struct dump_python *p, const char *name)
{
	return symbols_find(p->object, p->pid, name);
}

static bool describe(struct dump_python *p)
{
	uint64_t version = find(p, "Py_Version");
	/* before 3.11, by what there is since when */
	const struct python_layout *known =
		python_layout_of(version		      ? word(p, version) >> 16 & 255
				 : find(p, "PyGC_Enable")     ? 10
				 : find(p, "PyFrame_GetBack") ? 9
				 : find(p, "PyCode_NewWithPosOnlyArgs") ? 8
									: 0);
	uint8_t told[RUNTIME_BYTES];
	bool free_threaded;

	if (!known || !memory_read(p->pid, p->runtime, told, sizeof(told)))
		return false;
	p->layout = *known;
	p->layout.code_type = find(p, "PyCode_Type");
	p->layout.text_type = find(p, "PyUnicode_Type");
	p->layout.bytes_type = find(p, "PyBytes_Type");
	return known->minor < 13 || python_layout_take(&p->layout, told, &free_threaded);
}

/* The kernel's number of a thread: 3.11 keeps it; before, libc alone does, in what pthread_self
 * points to, at a place that is one of these (glibc on x86-64 and AArch64, musl). */
static pid_t number_of(const struct dump_python *p, const struct dump *d, uint64_t state)
{
	static const uint16_t places[] = {720, 208, 48};
	uint64_t at = state + p->layout.state_thread;

	if (p->layout.minor >= 11)
		return (pid_t)word(p, at + 8);
	at = word(p, at);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		pid_t tid = (pid_t)word(p, at + places[i]);

		for (size_t k = 0; k < d->threads; k++)
			if (tid != 0 && d->thread[k].inner_tid == tid)
				return tid;
	}
	return 0;
}

static void list_threads(struct dump_python *p, const struct dump *d)
{
	uint64_t interpreter = word(p, p->runtime + p->layout.runtime_interpreters);

	p->thread = calloc(d->threads, sizeof(*p->thread));
	for (int i = 0; p->thread && interpreter && i < INTERPRETERS; i++) {
		uint64_t state = word(p, interpreter + p->layout.interpreter_states);

		for (int k = 0; state && k < STATES && p->threads < d->threads; k++) {
			p->thread[p->threads].tid = number_of(p, d, state);
			p->thread[p->threads++].state = state;
			state = word(p, state + 8);
		}
		interpreter = word(p, interpreter + p->layout.interpreter_next);
	}
}

void dump_python_open(struct dump_python *p, const struct safe_point_objects *o,
		      const struct dump *d)
{
	*p = (struct dump_python){.pid = d->pid};
	for (size_t i = 0; i < o->count && !p->runtime; i++) {
		p->object = &o->object[i];
		p->runtime = find(p, "_PyRuntime");
	}
	if (!p->runtime || !describe(p)) {
		p->object = NULL;
		return;
	}
	p->loop = symbols_find_place(p->object, p->pid, "_PyEval_EvalFrameDefault");
	p->alone =
		p->object->kind != SAFE_POINT_PROGRAM || strstr(d->names->process->exe, "/python");
	list_threads(p, d);
}

static uint64_t first_frame(const struct dump_python *p, pid_t inner_tid)
{
	const struct python_layout *l = &p->layout;

	for (size_t i = 0; i < p->threads; i++) {
		uint64_t state = p->thread[i].state;

		if (p->thread[i].tid != inner_tid)
			continue;
		state = word(p, state + l->state_frame);
		return l->has_cframe && state ? word(p, state + l->cframe_frame) : state;
	}
	return 0;
}

size_t dump_python_read(const struct dump_python *p, pid_t inner_tid,
			struct dump_python_frame frame[DUMP_PYTHON_FRAMES])
{
	const struct python_layout *l = &p->layout;
	uint64_t at = p->object ? first_frame(p, inner_tid) : 0;
	uint8_t bytes[FRAME_BYTES];
	size_t count = 0;

	for (int i = 0; at && count < DUMP_PYTHON_FRAMES && i < 2 * DUMP_PYTHON_FRAMES; i++) {
		if (!memory_read(p->pid, at, bytes, sizeof(bytes)))
			break;
		at = word_of(bytes, l->frame_previous);
		if (l->has_entry_frame && bytes[l->frame_owner] == ENTRY_FRAME) {
			if (count)
				frame[count - 1].ends = true;
			continue;
		}
		/* 3.11 tells of each frame whether it is the outermost of its C function, in the
		 * byte before its owner. */
		frame[count++] = (struct dump_python_frame){
			word_of(bytes, l->frame_code), word_of(bytes, l->frame_instruction),
			l->minor <= 10 || (l->minor == 11 && bytes[l->frame_owner - 1])};
	}
	return count;
}

/* A str, of which the beginning is kept, or the end. `state` of 3.8 to 3.13, from the lowest bit:
 * interned 2, kind 3, compact 1, ascii 1. */
static bool read_text(const struct dump_python *p, uint64_t at, bool end, char *to, size_t room)
{
	const struct python_layout *l = &p->layout;
	uint8_t head[64], data[4 * SCP_SOURCE_FILE_MAX];
	uint32_t state;
	size_t used = 0;

	if (!memory_read(p->pid, at, head, l->text_ascii) ||
	    word_of(head, l->object_type) != l->text_type)
		return false;
	memcpy(&state, head + l->text_state, sizeof(state));
	uint32_t size = state >> 2 & 7;
	bool ascii = state >> 6 & 1;
	uint64_t length = word_of(head, l->text_length), most = ascii ? room - 1 : room / 4 - 1,
		 count = length < most ? length : most, from = end ? length - count : 0;

	at += ascii ? l->text_ascii : l->text_compact;
	if (!(state >> 5 & 1) || (size != 1 && size != 2 && size != 4) ||
	    (count && !memory_read(p->pid, at + from * size, data, count * size)))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t c = 0;

		memcpy(&c, data + i * size, size);
		int bytes = u8_uctomb((uint8_t *)to + used, c, 4);
		if (bytes > 0)
			used += (size_t)bytes;
		else /* no character, or half of one */
			to[used++] = '?';
	}
	to[used] = '\0';
	return true;
}

/* The table of lines, to be freed; lines->table is NULL where it cannot be read. */
static void *read_lines(const struct dump_python *p, const uint8_t *code,
			struct python_lines *lines)
{
	const struct python_layout *l = &p->layout;
	uint64_t table = word_of(code, l->code_table), bytes = word(p, table + l->bytes_size);
	bool fine = word(p, table + l->object_type) == l->bytes_type && bytes < TABLE_BYTES;
	/* With the NUL behind it: a table of no bytes is one, too. */
	void *copy = fine ? memory_copy(p->pid, table + l->bytes_data, bytes + 1) : NULL;

	*lines = (struct python_lines){l->table, 0, copy, copy ? bytes : 0};
	memcpy(&lines->first_line, code + l->code_first_line, sizeof(lines->first_line));
	return copy;
}

static uint32_t from_0(int32_t n)
{
	return n < 0 ? 0 : (uint32_t)n;
}

bool dump_python_name(const struct dump_python *p, const struct dump_python_frame *frame,
		      struct profile *names, struct prof_frame *out)
{
	const struct python_layout *l = &p->layout;
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	int64_t at = l->instruction_is_index
			     ? (int32_t)frame->instruction * (int64_t)l->instruction_unit
			     : (int64_t)(frame->instruction - frame->code - l->code_bytecode);
	uint8_t code[CODE_BYTES];
	struct python_lines lines;
	int32_t traceable = 0;

	if (!memory_read(p->pid, frame->code, code, sizeof(code)) ||
	    word_of(code, l->object_type) != l->code_type ||
	    !read_text(p, word_of(code, l->code_name), false, name, sizeof(name)) ||
	    !read_text(p, word_of(code, l->code_filename), true, file, sizeof(file)))
		return false;
	if (l->code_first_traceable)
		memcpy(&traceable, code + l->code_first_traceable, sizeof(traceable));
	if (traceable && at < 2 * (int64_t)traceable)
		return false;
	void *copy = read_lines(p, code, &lines);
	struct python_place place = python_table_find(&lines, at);

	free(copy);
	struct prof_source_function f = {name, file, from_0(lines.first_line), SCP_LANGUAGE_PYTHON};
	struct prof_source_line line = {.function = source_add_function(names, &f),
					.line = from_0(place.line),
					.column = from_0(place.column + 1),
					.instruction = place.start};
	uint32_t number = line.function == PROF_NONE ? PROF_NONE : source_add_line(names, &line);

	*out = (struct prof_frame){.module = PROF_SOURCE, .offset = number};
	return number != PROF_NONE;
}
