// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/support/source_file.h"

#include <string.h>

struct scp_source_function *source_file_function(struct scp_build *b, uint32_t id, const char *name,
						 const char *file, uint32_t first_line)
{
	size_t name_bytes = strlen(name) + 1, file_bytes = strlen(file) + 1;
	struct scp_source_function *f = scp_build_record(
		b, SCP_REC_SOURCE_FUNCTION,
		offsetof(struct scp_source_function, strings) + name_bytes + file_bytes);

	f->id = id;
	f->language = SCP_LANGUAGE_PYTHON;
	f->first_line = first_line;
	f->name_bytes = (uint32_t)name_bytes;
	f->file_bytes = (uint32_t)file_bytes;
	memcpy(f->strings, name, name_bytes);
	memcpy(f->strings + name_bytes, file, file_bytes);
	return f;
}

struct scp_source_line *source_file_line(struct scp_build *b, uint32_t id, uint32_t function,
					 uint32_t line, uint32_t instruction)
{
	struct scp_source_line *l = scp_build_record(b, SCP_REC_SOURCE_LINE, sizeof *l);

	l->id = id;
	l->function = function;
	l->line = line;
	l->column = 9;
	l->end_column = 40;
	l->instruction = instruction;
	return l;
}

struct scp_generated *source_file_generated(struct scp_build *b, uint32_t id, uint64_t start,
					    uint64_t bytes, const char *name)
{
	size_t name_bytes = strlen(name) + 1;
	struct scp_generated *g = scp_build_record(
		b, SCP_REC_GENERATED, offsetof(struct scp_generated, name) + name_bytes);

	g->id = id;
	g->start = start;
	g->bytes = bytes;
	g->name_bytes = (uint32_t)name_bytes;
	memcpy(g->name, name, name_bytes);
	return g;
}

#define FOLDER "/srv/service/"
#define LINES  5u

/* The records of process 1 have their ids in the other order. */
static uint32_t id_of(uint32_t process, uint32_t number, uint32_t count)
{
	return process ? count + 1 - number : number;
}

static uint32_t line_id(uint32_t process, uint32_t number)
{
	return process ? LINES + 2 - number : number;
}

static void add_source(struct scp_build *b, uint32_t process)
{
	static const struct {
		const char *name;
		uint32_t first_line;
	} functions[] = {{"<module>", 1}, {"handle", 75}, {"Service.reply", 130}};
	static const uint32_t lines[LINES][3] = {
		{1, 200, 24}, {2, 88, 30}, {2, 80, 10}, {3, 142, 16}, {3, 142, 50}};

	scp_build_open_optional(b, SCP_OPTIONAL_SOURCE, 0);
	for (uint32_t i = 0; i < 3; i++)
		source_file_function(b, id_of(process, i + 1, 3), functions[i].name,
				     FOLDER "service.py", functions[i].first_line);
	if (process)
		source_file_function(b, 4, "Worker.run", FOLDER "worker.py", 5);
	for (uint32_t i = 0; i < LINES; i++)
		source_file_line(b, line_id(process, i + 1), id_of(process, lines[i][0], 3),
				 lines[i][1], lines[i][2]);
	if (process)
		source_file_line(b, 1, 4, 7, 8);
	source_file_generated(b, 1, 0x7f0000001000, 0x200, "LazyCompile:~parse /srv/parse.js:12");
	scp_build_close_chunk(b);
}

static void add_call(struct scp_build *b, uint32_t id, uint32_t function, uint64_t calls)
{
	struct scp_entry *e = scp_build_entry(b, id, id, function, SCP_COMPLETED);

	e->calls = calls;
	e->units = 1000 * calls;
	e->units_sq_lo = 1000000 * calls;
	e->max_units = e->min_units = e->first_units = 1000;
	e->first_at = 1000 * id;
	e->last_at = e->first_at + e->units;
}

static void add_paths(struct scp_build *b, uint32_t process)
{
#define L(number) SOURCE_FRAME(line_id(process, number))
	const uint64_t sock_send = SCP_FRAME(2, 0, 0x5120), sock_recv = SCP_FRAME(2, 0, 0x4ee0);
	const uint64_t reply[] = {sock_send, L(4), L(2), L(1)};
	const uint64_t other[] = {sock_send, L(5), L(2), L(1)};
	const uint64_t handle[] = {sock_recv, L(3), L(1)};
	const uint64_t generated[] = {SCP_FRAME(0, 0, 0x7f0000001080), SCP_FRAME(1, 0, 0x4321)};
	const uint64_t worker[] = {sock_recv, SOURCE_FRAME(1)};
#undef L

	scp_build_path(b, 1, reply, 4);
	scp_build_path(b, 2, other, 4);
	scp_build_path(b, 3, handle, 3)->flags = SCP_PATH_PYTHON_CUT;
	scp_build_path(b, 4, generated, 2);
	if (process)
		scp_build_path(b, 5, worker, 2);
	add_call(b, 1, 1, 500);
	add_call(b, 2, 1, 20);
	add_call(b, 3, 2, 300);
	add_call(b, 4, 2, 10);
	if (process)
		add_call(b, 5, 2, 40);
}

void source_file_make(struct scp_build *b, uint32_t process)
{
	struct scp_table *t;
	struct scp_header *h;

	scp_build_begin(b);
	h = scp_build_header(b);
	h->pid += process;
	strcpy(h->exe, "/usr/bin/python3.11");
	strcpy(h->program, "service");
	h->table_count = 1;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, "send", "libc.so.6");
	scp_build_function(b, 2, "recv", "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/python3.11");
	scp_build_module(b, 2, "/usr/lib/python3.11/lib-dynload/_socket.so");
	scp_build_close_chunk(b);
	add_source(b, process);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, "service");
	t->first_at = 1000;
	t->last_at = 1000 + (process ? 870000 : 830000);
	add_paths(b, process);
	scp_build_close_chunk(b);
	scp_build_finish(b);
}
