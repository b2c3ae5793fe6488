// SPDX-License-Identifier: GPL-3.0-or-later
/* make_hostile OUT LIBRARY OFFSET...: a profile whose every name is hostile: functions,
 * libraries, modules, threads, the command; with one call path through each of the
 * offsets of a library, whose symbols have such names too, recursion, a
 * cut path, a path without frames' names, and every outcome. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/scp_build.h"

#define LONG_NAME 10000

static char long_name[LONG_NAME + 1];

/* Names that end a line, a field, a frame, a text or a number in one format or another. */
static const char *const names[] = {
	"a;b;c 12",
	"line\nbreak\r\n\"quoted\",\tcomma",
	"=cmd|'/c calc'!A0",
	"(7) fn=(1)\ncalls=1 1",
	"broken \xff\xc3\x28 utf\xe2\x80\xae-8",
	"<script>alert(1)</script>&amp;",
	" ",
	"\033[31m\033]0;owned\007",
	long_name,
};
#define NAMES (sizeof(names) / sizeof(names[0]))

/* The rest of a name that is too long for the record's head follows it. */
static void add_function(struct scp_build *b, uint32_t id, const char *name)
{
	struct scp_function *f = scp_build_record(b, SCP_REC_FUNCTION, sizeof(*f) + LONG_NAME + 1);

	f->id = id;
	f->group = SCP_GROUP_SELECTED;
	strncpy(f->name, name, sizeof(f->name) - 1);
	strncpy(f->library, names[id % NAMES], sizeof(f->library) - 1);
	strcpy(f->long_name, name);
}

static void add_names(struct scp_build *b, const char *library)
{
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	for (uint32_t i = 0; i < NAMES; i++)
		add_function(b, i + 1, names[i]);
	scp_build_module(b, 1, library)->build_id_bytes = 0;
	for (uint32_t i = 0; i < NAMES; i++)
		if (strchr(names[i], '\n') || strlen(names[i]) < 100)
			scp_build_module(b, 2 + i, names[i]);
	scp_build_close_chunk(b);
}

static void add_entry(struct scp_build *b, uint32_t id, uint32_t path, uint32_t function)
{
	uint32_t outcome = id == SCP_OUTCOMES ? SCP_TIMEOUT : (id - 1) % SCP_TIMEOUT;
	struct scp_entry *e = scp_build_entry(b, id, path, function, outcome);

	e->calls = 10 * (uint64_t)id;
	e->units = e->calls * 100;
	e->units_sq_lo = e->calls * 100 * 100;
	e->min_units = e->max_units = e->first_units = 100;
	e->first_at = 1000;
	e->last_at = 1000 + e->units;
	e->max_at = 1100;
	e->flags |= SCP_ENTRY_BYTES;
	e->bytes = e->calls * 7;
	e->bytes_sq_lo = e->calls * 49;
	e->bytes_units_lo = e->calls * 700;
}

/* Path i: the i-th offset, called from itself twice, called from a module with a hostile path. */
static void add_table(struct scp_build *b, char **offset, uint32_t offsets)
{
	struct scp_table *t;
	uint64_t units = 0;

	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, names[1]);
	for (uint32_t i = 0; i < offsets; i++) {
		uint64_t at = strtoull(offset[i], NULL, 0);
		const uint64_t frame[] = {SCP_FRAME(1, 0, at + 2), SCP_FRAME(1, 0, at + 2),
					  SCP_FRAME(1, 0, at + 2), SCP_FRAME(2 + i % 7, 0, 0x77),
					  SCP_FRAME(0, 1, 0x7f1234)};

		scp_build_path(b, i + 1, frame, 5)->flags = i == 1 ? SCP_PATH_CUT : 0;
	}
	for (uint32_t i = 0; i < NAMES; i++) {
		add_entry(b, i + 1, 1 + i % offsets, i + 1);
		units += 1000 * (uint64_t)(i + 1);
	}
	t->first_at = 1000;
	t->last_at = 1000 + units;
	scp_build_close_chunk(b);
}

int main(int argc, char **argv)
{
	struct scp_build b;
	struct scp_header *h;

	if (argc < 4)
		errx(2, "usage: make_hostile OUT LIBRARY OFFSET...");
	memset(long_name, 'x', LONG_NAME);
	memcpy(long_name, "long;", 5);
	scp_build_begin(&b);
	h = scp_build_header(&b);
	memset(h->argv, 0, sizeof(h->argv));
	h->argc = 2;
	h->argv_bytes = sizeof("new\nline\0; \"'");
	memcpy(h->argv, "new\nline\0; \"'", h->argv_bytes);
	strcpy(h->exe, names[3]);
	strcpy(h->program, names[1]);
	add_names(&b, argv[2]);
	add_table(&b, argv + 3, (uint32_t)argc - 3);
	scp_build_finish(&b);
	scp_build_save(&b, argv[1]);
	scp_build_free(&b);
	return 0;
}
