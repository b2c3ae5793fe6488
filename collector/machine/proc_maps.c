// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/machine/proc_maps.h"

#include <stdlib.h>
#include <string.h>

#define DELETED " (deleted)"

FILE *proc_maps_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return fopen(path, "re");
}

/* Read a line without its end. Of one that is too long the path is left out. */
static bool read_line(FILE *maps, struct proc_mapping *m)
{
	char *end;

	if (!fgets(m->line, sizeof(m->line), maps))
		return false;
	end = strchr(m->line, '\n');
	if (!end && strlen(m->line) + 1 == sizeof(m->line)) {
		end = strchr(m->line, '/');
		for (int c = 0; c != '\n' && c != EOF;)
			c = getc(maps);
	}
	if (end)
		*end = '\0';
	return true;
}

/* The kernel writes a newline in a path as "\012". */
static void restore_newlines(char *path)
{
	char *to = path = strstr(path, "\\012");

	while (path && *path) {
		bool escaped = !strncmp(path, "\\012", 4);

		*to++ = escaped ? '\n' : *path;
		path += escaped ? 4 : 1;
	}
	if (to)
		*to = '\0';
}

static uint64_t take_number(char **at, int base)
{
	uint64_t number = strtoull(*at, at, base);

	*at += **at != '\0';
	return number;
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE      PATH" */
static void parse_line(struct proc_mapping *m)
{
	char *at = m->line;
	size_t length, rights, mark = strlen(DELETED);

	m->start = take_number(&at, 16);
	m->end = take_number(&at, 16);
	rights = strcspn(at, " ");
	m->readable = memchr(at, 'r', rights) != NULL;
	m->writable = memchr(at, 'w', rights) != NULL;
	m->executable = memchr(at, 'x', rights) != NULL;
	at += rights;
	m->offset = take_number(&at, 16);
	m->major = (unsigned)take_number(&at, 16);
	m->minor = (unsigned)take_number(&at, 16);
	m->inode = take_number(&at, 10);
	m->path = at + strspn(at, " ");
	restore_newlines(m->path);
	length = strlen(m->path);
	m->deleted = length > mark && !strcmp(m->path + length - mark, DELETED);
	if (m->deleted)
		m->path[length - mark] = '\0';
}

bool proc_maps_next(FILE *maps, struct proc_mapping *m)
{
	if (!read_line(maps, m))
		return false;
	parse_line(m);
	return true;
}
