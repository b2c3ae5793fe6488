// SPDX-License-Identifier: GPL-3.0-or-later
/* Code may be thrown away and its place used again: the last line for an address counts, so
 * they are searched backwards. Each address is asked for once (symbolize.c keeps answers). */
#include "report/symbols/symbolize_jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct piece {
	uint64_t start, size;
	const char *name; /* in `text` */
};

struct map {
	char path[40];
	char *text;
	struct piece *piece;
	size_t pieces;
	bool refused;
};

struct jit {
	const struct profile *profile;
	struct map *map;  /* one for each process, NULL until the first question */
	uint32_t refused; /* of them, not told yet */
};

struct jit *jit_new(const struct profile *p)
{
	struct jit *j = calloc(1, sizeof(*j));

	if (j)
		j->profile = p;
	return j;
}

void jit_free(struct jit *j)
{
	if (!j)
		return;
	for (uint32_t i = 0; j->map && i < j->profile->processes; i++) {
		free(j->map[i].text);
		free(j->map[i].piece);
	}
	free(j->map);
	free(j);
}

#define LARGEST (INT64_C(1) << 30)

/* A process's number is used again, and anyone may write to /tmp. */
static bool is_believable(const struct stat *st, const struct prof_process *p)
{
	uint64_t written =
		(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;

	return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) &&
	       st->st_size < LARGEST && written >= p->start_real_ns;
}

static char *read_text(struct map *m, const struct prof_process *p)
{
	int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t bytes;

	if (fd < 0)
		return NULL;
	m->refused = fstat(fd, &st) < 0 || !is_believable(&st, p);
	if (!m->refused)
		text = malloc((size_t)st.st_size + 1);
	bytes = text ? read(fd, text, (size_t)st.st_size) : 0;
	if (text)
		text[bytes > 0 ? bytes : 0] = '\0';
	close(fd);
	return text;
}

/* The line at `line`, which ends with a NUL. A line that is none is passed over. */
static void add_piece(struct map *m, char *line)
{
	struct piece piece;
	char *end;

	piece.start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return;
	line = end + 1;
	piece.size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1])
		return;
	piece.name = end + 1;
	m->piece[m->pieces++] = piece;
}

static void read_map(struct map *m, const struct prof_process *p)
{
	size_t lines = 1;
	char *next;

	snprintf(m->path, sizeof(m->path), "/tmp/perf-%u.map", p->pid);
	m->text = read_text(m, p);
	for (const char *c = m->text; c && *c; c++)
		lines += *c == '\n';
	m->piece = m->text ? calloc(lines, sizeof(*m->piece)) : NULL;
	for (char *line = m->piece ? m->text : NULL; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_piece(m, line);
	}
}

static void read_maps(struct jit *j)
{
	j->map = calloc(j->profile->processes ? j->profile->processes : 1, sizeof(*j->map));
	for (uint32_t i = 0; j->map && i < j->profile->processes; i++) {
		read_map(&j->map[i], &j->profile->process[i]);
		j->refused += j->map[i].refused;
	}
}

static const struct piece *find_piece(const struct map *m, uint64_t address)
{
	for (size_t i = m->pieces; i-- > 0;)
		if (address - m->piece[i].start < m->piece[i].size)
			return &m->piece[i];
	return NULL;
}

struct jit_name jit_look_up(struct jit *j, uint64_t address)
{
	struct jit_name found = {0};

	if (!j->map)
		read_maps(j);
	for (uint32_t i = 0; j->map && i < j->profile->processes; i++) {
		const struct piece *piece = find_piece(&j->map[i], address);

		if (!piece)
			continue;
		if (found.name && strcmp(found.name, piece->name) != 0)
			return (struct jit_name){.ambiguous = true};
		found = (struct jit_name){piece->name, j->map[i].path, address - piece->start,
					  false};
	}
	return found;
}

const char *jit_refused(struct jit *j)
{
	for (uint32_t i = 0; j->refused && i < j->profile->processes; i++)
		if (j->map[i].refused) {
			j->map[i].refused = false;
			j->refused--;
			return j->map[i].path;
		}
	return NULL;
}
