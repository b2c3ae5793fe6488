// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point_maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel's own default limit is 65530 maps. */
#define MOST_MAPS  (1u << 20)
#define READ_BYTES (1u << 16)

static uint64_t number(const char **at, unsigned base)
{
	uint64_t value = 0;
	for (;; (*at)++) {
		unsigned c = (unsigned char)**at;
		unsigned digit = c - '0';
		if (digit > 9)
			digit = c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
		if (digit >= base)
			return value;
		value = value * base + digit;
	}
}

static void skip(const char **at)
{
	if (**at != '\0')
		(*at)++;
}

/* "start-end rwxp offset major:minor inode  name" */
static struct safe_point_map read_line(const char *line)
{
	struct safe_point_map m = {0};
	m.start = number(&line, 16);
	skip(&line);
	m.end = number(&line, 16);
	skip(&line);
	char mode[4] = "";
	for (int i = 0; i < 4; i++) {
		mode[i] = *line;
		skip(&line);
	}
	m.readable = mode[0] == 'r';
	m.writable = mode[1] == 'w';
	m.executable = mode[2] == 'x';
	skip(&line);
	m.offset = number(&line, 16);
	skip(&line);
	m.device = number(&line, 16) << 32;
	skip(&line);
	m.device |= number(&line, 16);
	skip(&line);
	m.inode = number(&line, 10);
	if (m.inode != 0)
		return m;
	while (*line == ' ')
		line++;
	m.stack = strcmp(line, "[stack]") == 0;
	m.heap = strcmp(line, "[heap]") == 0;
	m.vdso = strcmp(line, "[vdso]") == 0;
	return m;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static bool add(struct safe_point_maps *m, struct safe_point_map map)
{
	if (m->count == m->room) {
		size_t room = m->room == 0 ? 256 : 2 * m->room;
		if (room > MOST_MAPS)
			return false;
		struct safe_point_map *more = reallocarray(m->map, room, sizeof(*more));
		if (more == NULL)
			return false;
		m->map = more;
		m->room = room;
	}
	m->map[m->count++] = map;
	/* Code of no file is generated: it may come and go. */
	if (map.executable && map.inode != 0) {
		m->executable = mix(m->executable, map.start);
		m->executable = mix(m->executable, map.end);
		m->executable = mix(m->executable, map.inode ^ map.device << 8 ^ map.offset << 20);
	}
	return true;
}

static bool read_lines(struct safe_point_maps *m, int fd, char *text)
{
	size_t held = 0;
	for (;;) {
		ssize_t n = read(fd, text + held, READ_BYTES - held);
		if (n <= 0)
			return n == 0 && m->count > 0;
		held += (size_t)n;
		char *line = text, *end;
		while ((end = memchr(line, '\n', held - (size_t)(line - text))) != NULL) {
			*end = '\0';
			if (!add(m, read_line(line)))
				return false;
			line = end + 1;
		}
		held -= (size_t)(line - text);
		if (held == READ_BYTES)
			return false;
		memmove(text, line, held);
	}
}

bool safe_point_maps_read(struct safe_point_maps *m, pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	m->count = 0;
	m->executable = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = malloc(READ_BYTES);
	bool ok = fd >= 0 && text != NULL && read_lines(m, fd, text);
	free(text);
	if (fd >= 0)
		close(fd);
	if (!ok)
		m->count = 0;
	return ok;
}

void safe_point_maps_free(struct safe_point_maps *m)
{
	free(m->map);
	*m = (struct safe_point_maps){0};
}

const struct safe_point_map *safe_point_maps_find(const struct safe_point_maps *m, uint64_t at)
{
	size_t low = 0, high = m->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (m->map[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->count && m->map[low].start <= at ? &m->map[low] : NULL;
}
