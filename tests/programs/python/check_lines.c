// SPDX-License-Identifier: GPL-3.0-or-later
/* check_lines < FILE: does the library decode what dump_lines.py wrote as the interpreter does?
 * Tables lie before memory that cannot be read, from where what is cut off them is missing, too.
 * Prints what differs, and how many instructions were compared. Status: 0 all equal, 1 not, 2 the
 * file is damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/python/python_layout.h"

#define ROOM (8u << 20)
#define TOLD 5 /* numbers for each unit */

struct code {
	int32_t kind, first_line, bytes, units, name_bytes, line_before;
};

static struct {
	unsigned long codes, instructions, columns, differ;
} counts;

static char name[4096];
static uint8_t *end_of_room;

static void differs(int32_t unit, const char *what, int32_t ours, int32_t theirs)
{
	if (counts.differ++ < 20)
		printf("%s, unit %d: %s %d, the interpreter says %d\n", name, unit, what, ours,
		       theirs);
}

static void compare(int32_t unit, const struct python_place *p, const int32_t *said)
{
	const int32_t ours[] = {p->line, p->end_line, p->column, p->end_column};
	static const char *const what[] = {"line", "end line", "column", "end column"};

	for (unsigned i = 0; i < 4; i++)
		if (said[i] != -2 && ours[i] != said[i])
			differs(unit, what[i], ours[i], said[i]);
	counts.columns += said[2] >= 0;
	counts.instructions++;
}

/* Where a place begins there is the same one, and it begins there; an instruction and its inline
 * caches are one. */
static void check_start(const struct python_lines *lines, int32_t unit,
			const struct python_place *p, const struct python_place *before,
			bool begins)
{
	struct python_place there = python_table_find(lines, p->start);

	if (p->start > 2 * (uint32_t)unit || memcmp(&there, p, sizeof there) != 0 ||
	    (!begins && before->start != p->start))
		differs(unit, "start", (int32_t)p->start, 2 * unit);
}

/* Nothing is to be known of it but that it ends. */
static void cut_off(struct python_lines lines, int32_t units)
{
	uint8_t *table = (uint8_t *)(uintptr_t)lines.table;

	for (unsigned cut = 0; cut < 4 && lines.bytes; cut++) {
		memmove(table + 1, table, --lines.bytes);
		lines.table = ++table;
		python_table_find(&lines, 2 * (int64_t)units);
	}
}

static bool take(void *to, size_t bytes)
{
	return fread(to, 1, bytes, stdin) == bytes;
}

static bool check(const struct code *c)
{
	size_t said_bytes = (size_t)c->units * TOLD * sizeof(int32_t);
	int32_t *said = malloc(said_bytes + 1);
	struct python_lines lines = {(enum python_table)c->kind, c->first_line,
				     end_of_room - c->bytes, (uint64_t)c->bytes};
	bool complete = said && take(end_of_room - c->bytes, (size_t)c->bytes) &&
			take(name, (size_t)c->name_bytes) && take(said, said_bytes);

	if (complete) {
		name[c->name_bytes] = 0;
		struct python_place p = python_table_find(&lines, -1);
		if (p.line != c->line_before || p.start != PYTHON_TABLE_BEFORE)
			differs(-1, "line", p.line, c->line_before);
		for (int32_t i = 0; i < c->units; i++) {
			struct python_place before = p;
			p = python_table_find(&lines, 2 * (int64_t)i);
			compare(i, &p, said + TOLD * i);
			check_start(&lines, i, &p, &before, said[TOLD * i + 4] != 0);
		}
		cut_off(lines, c->units);
		counts.codes++;
	}
	free(said);
	return complete;
}

int main(void)
{
	struct code c;
	uint8_t *room =
		mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || mprotect(room + ROOM, 4096, PROT_NONE) != 0)
		return 2;
	end_of_room = room + ROOM;
	while (take(&c, sizeof c))
		if (c.bytes < 0 || c.bytes > (int32_t)ROOM || c.units < 0 || c.units > 1 << 24 ||
		    c.name_bytes < 0 || c.name_bytes >= (int32_t)sizeof name || !check(&c))
			return 2;
	if (!feof(stdin))
		return 2;
	printf("%lu code objects, %lu instructions, %lu with columns, %lu differ\n", counts.codes,
	       counts.instructions, counts.columns, counts.differ);
	return counts.differ != 0;
}
