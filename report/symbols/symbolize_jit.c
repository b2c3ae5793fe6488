// SPDX-License-Identifier: GPL-3.0-or-later
/* Code may be discarded and its addresses used again: the last line for an address counts. So the
 * addresses are divided where any line's code begins or ends, and each part belongs to one line. */
#include "report/symbols/symbolize_jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_PIECE UINT32_MAX

struct piece {
	uint64_t start, end; /* the end is not in it */
	const char *name;    /* in `text` */
};

struct map {
	char path[40];
	char *text;
	struct piece *piece; /* in the order of the lines */
	uint64_t *bound;     /* where a part begins, ascending */
	uint32_t *owner;     /* by part: index of the piece, NO_PIECE: none */
	uint32_t pieces, bounds;
	bool refused;
};

struct jit {
	const struct profile *profile;
	struct symbolize_files *files;
	struct map *map; /* those that are there; NULL until the first question */
	uint32_t maps;
	uint32_t refused; /* of them, not told yet */
};

struct jit *symbolize_jit_new(const struct profile *p, struct symbolize_files *files)
{
	struct jit *j = calloc(1, sizeof(*j));

	if (j) {
		j->profile = p;
		j->files = files;
	}
	return j;
}

static void clear_map(struct map *m)
{
	free(m->text);
	free(m->piece);
	free(m->bound);
	free(m->owner);
	*m = (struct map){0};
}

void symbolize_jit_free(struct jit *j)
{
	if (!j)
		return;
	for (uint32_t i = 0; i < j->maps; i++)
		clear_map(&j->map[i]);
	free(j->map);
	free(j);
}

/* The line at `line`, which ends with a NUL. A line that is none is passed over. */
static void add_piece(struct map *m, char *line)
{
	struct piece piece;
	uint64_t size;
	char *end;

	piece.start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return;
	line = end + 1;
	size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || !size)
		return;
	if (__builtin_add_overflow(piece.start, size, &piece.end))
		piece.end = UINT64_MAX;
	piece.name = end + 1;
	m->piece[m->pieces++] = piece;
}

static int compare_bounds(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void fill_bounds(struct map *m)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->pieces; i++) {
		m->bound[2 * i] = m->piece[i].start;
		m->bound[2 * i + 1] = m->piece[i].end;
	}
	qsort(m->bound, 2 * (size_t)m->pieces, sizeof(*m->bound), compare_bounds);
	for (uint32_t i = 0; i < 2 * m->pieces; i++)
		if (!kept || m->bound[i] != m->bound[kept - 1])
			m->bound[kept++] = m->bound[i];
	m->bounds = kept;
}

/* The part that an address is in; m->bounds: before all of them. */
static uint32_t find_part(const struct map *m, uint64_t address)
{
	uint32_t low = 0, high = m->bounds;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->bound[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : m->bounds;
}

/* The first part from `part` on that belongs to no piece yet. */
static uint32_t skip_owned(uint32_t *next, uint32_t part)
{
	while (next[part] != part) {
		next[part] = next[next[part]];
		part = next[part];
	}
	return part;
}

/* From the last line to the first, each takes the parts that it covers and that are still free. */
static void give_parts(struct map *m, uint32_t *next)
{
	for (uint32_t i = 0; i < m->bounds; i++) {
		m->owner[i] = NO_PIECE;
		next[i] = i;
	}
	for (uint32_t i = m->pieces; i-- > 0;) {
		uint32_t part = skip_owned(next, find_part(m, m->piece[i].start));

		while (m->bound[part] < m->piece[i].end) {
			m->owner[part] = i;
			next[part] = part + 1;
			part = skip_owned(next, part + 1);
		}
	}
}

static bool divide(struct map *m)
{
	size_t most = 2 * (size_t)m->pieces + 1;
	uint32_t *next = malloc(most * sizeof(*next));

	m->bound = malloc(most * sizeof(*m->bound));
	m->owner = malloc(most * sizeof(*m->owner));
	if (next && m->bound && m->owner) {
		fill_bounds(m);
		give_parts(m, next);
	}
	free(next);
	return next && m->bound && m->owner;
}

#define LINE_BYTES (sizeof(struct piece) + 2 * (sizeof(uint64_t) + 2 * sizeof(uint32_t)))

static bool read_pieces(struct map *m, struct symbolize_files *files)
{
	uint64_t lines = 1;
	char *next;

	for (const char *c = m->text; *c; c++)
		lines += *c == '\n';
	if (lines > UINT32_MAX / 2 || !symbolize_open_spend(files, lines * LINE_BYTES))
		return false;
	m->piece = malloc(lines * sizeof(*m->piece));
	for (char *line = m->piece ? m->text : NULL; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_piece(m, line);
	}
	return m->piece && divide(m);
}

/* False: there is none, or it cannot be used. */
static bool read_map(struct map *m, struct symbolize_files *files, const struct prof_process *p)
{
	snprintf(m->path, sizeof(m->path), "/tmp/perf-%u.map", p->pid);
	switch (symbolize_open_read_map(files, m->path, p->owner, p->start_real_ns, &m->text)) {
	case SYMBOLIZE_MAP_READ:
		return read_pieces(m, files);
	case SYMBOLIZE_MAP_REFUSED:
		return m->refused = true;
	default:
		return false;
	}
}

static void read_maps(struct jit *j)
{
	j->map = calloc(j->profile->processes ? j->profile->processes : 1, sizeof(*j->map));
	for (uint32_t i = 0; j->map && i < j->profile->processes; i++) {
		struct map *m = &j->map[j->maps];

		if (read_map(m, j->files, &j->profile->process[i])) {
			j->refused += m->refused;
			j->maps++;
		} else {
			clear_map(m);
		}
	}
}

static const struct piece *find_piece(const struct map *m, uint64_t address)
{
	uint32_t part = find_part(m, address);

	return part < m->bounds && m->owner[part] != NO_PIECE ? &m->piece[m->owner[part]] : NULL;
}

struct jit_name symbolize_jit_look_up(struct jit *j, uint64_t address)
{
	struct jit_name found = {0};

	if (!j->map)
		read_maps(j);
	if (!symbolize_open_step(j->files, j->maps))
		return found;
	for (uint32_t i = 0; i < j->maps; i++) {
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

const char *symbolize_jit_refused(struct jit *j)
{
	for (uint32_t i = 0; j->refused && i < j->maps; i++)
		if (j->map[i].refused) {
			j->map[i].refused = false;
			j->refused--;
			return j->map[i].path;
		}
	return NULL;
}
