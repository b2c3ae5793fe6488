// SPDX-License-Identifier: GPL-3.0-or-later
/* From the runtime to its interpreters, to their threads, to the frames of each. All of it may
 * change while it is read, or be crafted: each object is checked by its type, and each list ends.
 */
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "collector/python/interpreter.h"
#include "include/scprof_format.h"

#define INTERPRETERS  64
#define RUNTIME_BYTES 512u
#define CODE_BYTES    256u
#define TABLE_BYTES   (1u << 20)
#define STATES	      1024
#define STATES_EACH   4u
#define CODE_STRING   48 /* co_code of 3.8 to 3.10 */
#define CODE_MOST     (UINT64_C(1) << 24)
#define HASH	      UINT64_C(0x9e3779b97f4a7c15)

static uint64_t word(const struct interpreter *p, uint64_t at)
{
	uint64_t value = 0;

	return at != 0 && memory_read(p->pid, at, &value, sizeof(value)) ? value : 0;
}

static uint64_t find(const struct interpreter *p, const char *name)
{
	return symbols_find(p->object, p->pid, name);
}

static bool describe(struct interpreter *p)
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

/* The kernel's number of a thread that is among `tid`: 3.11 keeps it; before, libc alone does, in
 * what pthread_self points to, at a place that is one of these (glibc on x86-64 and AArch64, musl).
 * 0: it is none of them. */
static pid_t number_of(const struct interpreter *p, const pid_t *tid, size_t tids, uint64_t state)
{
	static const uint16_t places[] = {720, 208, 48};
	uint64_t at = state + p->layout.state_thread;
	bool told = p->layout.minor >= 11;

	at = told ? at + 8 : word(p, at);
	for (size_t i = 0; i < (told ? 1 : sizeof(places) / sizeof(*places)); i++) {
		pid_t number = (pid_t)word(p, told ? at : at + places[i]);

		for (size_t k = 0; k < tids; k++)
			if (number != 0 && tid[k] == number)
				return number;
	}
	return 0;
}

void interpreter_list(struct interpreter *p, const pid_t *inner_tid, size_t tids)
{
	uint64_t interpreter = p->object ? word(p, p->runtime + p->layout.runtime_interpreters) : 0;
	size_t left = STATES + STATES_EACH * tids; /* lists may be circles */

	free(p->thread);
	p->threads = 0;
	p->thread = calloc(tids, sizeof(*p->thread));
	for (int i = 0; p->thread && interpreter && i < INTERPRETERS; i++) {
		uint64_t state = word(p, interpreter + p->layout.interpreter_states);

		for (; state && left > 0 && p->threads < tids; left--) {
			p->thread[p->threads].tid = number_of(p, inner_tid, tids, state);
			p->thread[p->threads].state = state;
			p->threads += p->thread[p->threads].tid != 0;
			state = word(p, state + 8);
		}
		interpreter = word(p, interpreter + p->layout.interpreter_next);
	}
}

void interpreter_open(struct interpreter *p, pid_t pid, const struct safe_point_object *object,
		      size_t count)
{
	*p = (struct interpreter){.pid = pid};
	for (size_t i = 0; i < count && !p->runtime; i++) {
		p->object = &object[i];
		p->runtime = find(p, "_PyRuntime");
	}
	if (!p->runtime || !describe(p)) {
		p->object = NULL;
		return;
	}
	interpreter_find_loop(p);
}

bool interpreter_is_named(const char *path)
{
	const char *name = basename(path);

	return !strncmp(name, "python", 6) || !strncmp(name, "libpython", 9);
}

uint64_t interpreter_state(const struct interpreter *p, pid_t inner_tid)
{
	for (size_t i = 0; i < p->threads; i++)
		if (p->thread[i].tid == inner_tid)
			return p->thread[i].state;
	return 0;
}

uint64_t interpreter_first(const struct interpreter *p, pid_t inner_tid)
{
	const struct python_layout *l = &p->layout;
	uint64_t state = interpreter_state(p, inner_tid);
	uint64_t first = state ? word(p, state + l->state_frame) : 0;

	return l->has_cframe && first ? word(p, first + l->cframe_frame) : first;
}

static bool has_frame(uint64_t start, size_t bytes, uint64_t at)
{
	return bytes >= INTERPRETER_FRAME && at - start <= bytes - INTERPRETER_FRAME;
}

/* The next one, mostly. */
static const uint8_t *find_chained(struct interpreter_memory *m, uint64_t at)
{
	const struct interpreter_chain *c = m->chain;

	for (uint64_t i = 0; i < c->frames; i++, m->found++) {
		m->found = m->found < c->frames ? m->found : 0;
		if (c->frame[m->found].address == at)
			return c->frame[m->found].bytes;
	}
	return NULL;
}

/* A frame's bytes; NULL: they cannot be read. Callers lie before it, mostly in its page. */
static const uint8_t *look_at(const struct interpreter *p, uint64_t at,
			      struct interpreter_memory *m)
{
	if (has_frame(m->stack_at, m->stack_bytes, at))
		return m->stack + (at - m->stack_at);
	if (m->chain)
		return find_chained(m, at);
	if (!has_frame(m->start, m->bytes, at)) {
		m->start = at & ~UINT64_C(4095);
		m->bytes =
			memory_some(p->pid, m->start, m->data, at - m->start + INTERPRETER_FRAME);
	}
	return has_frame(m->start, m->bytes, at) ? m->data + (at - m->start) : NULL;
}

size_t interpreter_read(const struct interpreter *p, uint64_t at, bool one,
			struct interpreter_memory *m, struct interpreter_frame *frame, size_t most)
{
	const struct python_layout *l = &p->layout;
	size_t count = 0;

	for (size_t i = 0; at && count < most && i < 2 * most; i++) {
		const uint8_t *bytes = look_at(p, at, m);
		uint64_t here = at, code, instruction;

		if (!bytes)
			break;
		at = word_at(bytes, l->frame_previous);
		if (l->has_entry_frame && bytes[l->frame_owner] >= PYTHON_ENTRY_FRAME) {
			if (count)
				frame[count - 1].ends = true;
			if (count && one)
				break;
			continue;
		}
		/* 3.11 tells of each frame whether it is the outermost of its C function, in the
		 * byte before its owner. */
		code = word_at(bytes, l->frame_code) & ~(uint64_t)l->code_tags;
		instruction = word_at(bytes, l->frame_instruction);
		frame[count++] = (struct interpreter_frame){
			here, code,
			l->instruction_is_index
				? (int32_t)instruction * (int64_t)l->instruction_unit
				: (int64_t)(instruction - code - l->code_bytecode),
			l->minor <= 10 || (l->minor == 11 && bytes[l->frame_owner - 1])};
		if (one && frame[count - 1].ends)
			break;
	}
	return count;
}

bool interpreter_code(const struct interpreter *p, uint64_t at, struct interpreter_code *code)
{
	const struct python_layout *l = &p->layout;
	const uint16_t places[] = {l->code_name, l->code_filename, l->code_table};
	uint8_t bytes[CODE_BYTES];
	int32_t prepared = 0;

	if (!at || at % 8 || !memory_read(p->pid, at, bytes, sizeof(bytes)) ||
	    word_at(bytes, l->object_type) != l->code_type)
		return false;
	int32_t line = (int32_t)half_at(bytes, l->code_first_line);
	code->code = at;
	code->start = at + l->code_bytecode;
	uint64_t size = 2 * word_at(bytes, 16);
	if (l->code_first_traceable)
		prepared = (int32_t)half_at(bytes, l->code_first_traceable);
	if (!l->code_bytecode) { /* before 3.11 it is a bytes object */
		uint8_t head[32];

		code->start = word_at(bytes, CODE_STRING);
		if (!memory_read(p->pid, code->start, head, sizeof(head)) ||
		    word_at(head, l->object_type) != l->bytes_type)
			return false;
		code->start += l->bytes_data;
		size = word_at(head, l->bytes_size);
	}
	code->end = code->start + size;
	code->prepared = 2 * (int64_t)prepared;
	/* neighbours differ by as much as their names may: not until it is mixed */
	code->identity = ((uint64_t)line * HASH + code->end) * HASH;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		code->identity = (code->identity ^ word_at(bytes, places[i])) * HASH;
	return size != 0 && size < CODE_MOST;
}

/* A str, of which the beginning is kept, or the end. `state` of 3.8 to 3.15, from the lowest bit:
 * interned 2, kind 3, compact 1, ascii 1. */
static bool read_text(const struct interpreter *p, uint64_t at, bool end, char *to, size_t room)
{
	const struct python_layout *l = &p->layout;
	uint8_t head[256], far[4 * SCP_SOURCE_FILE_MAX];
	const uint8_t *data = far;
	size_t used = 0, has = memory_some(p->pid, at, head, sizeof(head));

	if (has < l->text_ascii || word_at(head, l->object_type) != l->text_type)
		return false;
	uint32_t state = half_at(head, l->text_state);
	uint32_t size = state >> 2 & 7;
	bool ascii = state >> 6 & 1;
	uint64_t length = word_at(head, l->text_length), most = ascii ? room - 1 : room / 4 - 1,
		 count = length < most ? length : most, from = end ? length - count : 0;

	if (!(state >> 5 & 1) || (size != 1 && (ascii || (size != 2 && size != 4))))
		return false;
	from = from * size + (ascii ? l->text_ascii : l->text_compact);
	if (from <= has && count * size <= has - from)
		data = head + from;
	else if (!memory_read(p->pid, at + from, far, count * size))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t c = 0;

		memcpy(&c, data + i * size, size);
		/* ASCII has room for a byte a character: what lies there may be anything */
		int bytes = ascii && c > 127 ? 0 : u8_uctomb((uint8_t *)to + used, c, 4);
		if (bytes > 0)
			used += (size_t)bytes;
		else /* no character, or half of one */
			to[used++] = '?';
	}
	to[used] = '\0';
	return true;
}

/* The table of lines, to be freed; lines->table is NULL where it cannot be read. */
static void *read_lines(const struct interpreter *p, const uint8_t *code,
			struct python_lines *lines)
{
	const struct python_layout *l = &p->layout;
	uint64_t table = word_at(code, l->code_table), bytes;
	uint8_t head[32];
	bool fine = memory_read(p->pid, table, head, sizeof(head)) &&
		    word_at(head, l->object_type) == l->bytes_type;

	bytes = fine ? word_at(head, l->bytes_size) : 0;
	fine = fine && bytes < TABLE_BYTES;
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

bool interpreter_name(const struct interpreter *p, uint64_t code_at, int64_t at,
		      struct profile *names, struct prof_frame *out)
{
	const struct python_layout *l = &p->layout;
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	uint8_t code[CODE_BYTES];
	struct python_lines lines;
	int32_t traceable = 0;

	if (!memory_read(p->pid, code_at, code, sizeof(code)) ||
	    word_at(code, l->object_type) != l->code_type ||
	    !read_text(p, word_at(code, l->code_name), false, name, sizeof(name)) ||
	    !read_text(p, word_at(code, l->code_filename), true, file, sizeof(file)))
		return false;
	if (l->code_first_traceable)
		traceable = (int32_t)half_at(code, l->code_first_traceable);
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
