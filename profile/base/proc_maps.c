// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/base/proc_maps.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/kernel_file.h"
#include "profile/base/array.h"
#include "profile/profile.h"

#define MAPS_MOST (1u << 20) /* the kernel's own default limit is 65530 */

FILE *proc_maps_open(pid_t pid)
{
	return kernel_file_open("/proc/%d/maps", (int)pid);
}

/* Read a line without its end. Of one that is too long the path is left out. */
static bool read_line(FILE *maps, struct proc_mapping *m)
{
	if (!fgets(m->line, sizeof(m->line), maps))
		return false;
	char *end = strchr(m->line, '\n');
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

size_t proc_maps_path_bytes(const char *path)
{
	const char *mark = strrchr(path, ' ');

	return mark && mark > path && !strcmp(mark, " (deleted)") ? (size_t)(mark - path)
								  : strlen(path);
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE      PATH" */
bool proc_maps_next(FILE *maps, struct proc_mapping *m)
{
	char *at = m->line;

	if (!read_line(maps, m))
		return false;
	m->start = take_number(&at, 16);
	m->end = take_number(&at, 16);
	size_t rights = strcspn(at, " ");
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
	size_t length = proc_maps_path_bytes(m->path);
	m->deleted = m->path[length] != '\0';
	m->path[length] = '\0';
	return true;
}

const char *proc_maps_own_path(pid_t pid, const char *path)
{
	char root[PATH_MAX];

	kernel_file_link(root, sizeof(root), "/proc/%d/root", (int)pid);
	size_t length = strlen(root);
	return length > 1 && !strncmp(path, root, length) && path[length] == '/' ? path + length
										 : path;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static bool add(struct proc_map_list *l, const struct proc_mapping *m, const char *library)
{
	struct proc_map *to = l->count < MAPS_MOST ? ARRAY_APPEND(l->map, l->count) : NULL;

	if (!to)
		return false;
	PROF_SET(to, m, start, end, offset, inode, readable, writable, executable);
	to->stack = !strcmp(m->path, "[stack]");
	to->heap = !strcmp(m->path, "[heap]");
	to->vdso = !strcmp(m->path, "[vdso]");
	/* Code of no file is generated: it may come and go. */
	if (m->executable && m->inode) {
		uint64_t device = (uint64_t)m->major << 40 | (uint64_t)m->minor << 8;

		l->executable = mix(mix(l->executable, m->start), m->end);
		l->executable = mix(l->executable, m->inode ^ device ^ m->offset << 20);
	}
	if (library && !l->library && !m->offset && m->inode && *m->path == '/' &&
	    !strcmp(basename(m->path), library))
		l->library = m->start;
	return true;
}

bool proc_maps_list(struct proc_map_list *l, pid_t pid, const char *library)
{
	struct proc_mapping m;
	FILE *maps = proc_maps_open(pid);
	bool fine = maps;

	l->count = 0;
	l->executable = l->library = 0;
	while (fine && proc_maps_next(maps, &m))
		fine = add(l, &m, library);
	fine = fine && !ferror(maps) && l->count;
	if (maps)
		fclose(maps);
	if (!fine)
		l->count = 0;
	return fine;
}

void proc_maps_free(struct proc_map_list *l)
{
	free(l->map);
	*l = (struct proc_map_list){0};
}

const struct proc_map *proc_maps_find(const struct proc_map_list *l, uint64_t at)
{
	size_t i;

	BISECT(i, l->count, l->map[i].end <= at);
	return i < l->count && l->map[i].start <= at ? &l->map[i] : NULL;
}
