// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/generated.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

#define NO_PIECE  UINT32_MAX
#define AMBIGUOUS (UINT32_MAX - 1)
#define MOST	  (UINT32_MAX / 4)

/* A piece, and two bounds with what belongs to each. */
#define PIECE_BYTES (sizeof(struct code_piece) + 2 * (sizeof(uint64_t) + 3 * sizeof(uint32_t)))

static bool make_room(struct code_map *m, struct symbolize_files *files)
{
	uint32_t room = m->room ? 2 * m->room : 256;
	struct code_piece *grown;

	if (m->pieces < m->room)
		return true;
	if (room > MOST || !symbolize_open_spend(files, (room - m->room) * PIECE_BYTES))
		return false;
	grown = realloc(m->piece, room * sizeof(*grown));
	if (!grown)
		return false;
	m->piece = grown;
	m->room = room;
	return true;
}

void code_map_add(struct code_map *m, struct symbolize_files *files, const struct code_piece *piece)
{
	if (m->failed || piece->start == piece->end)
		return;
	m->failed = !make_room(m, files);
	if (m->failed)
		return;
	m->piece[m->pieces] = *piece;
	if (piece->end < piece->start)
		m->piece[m->pieces].end = UINT64_MAX;
	m->pieces++;
}

ARRAY_COMPARE(compare_addresses, uint64_t, ARRAY_ORDER(*a, *b))

uint32_t code_map_sort(uint64_t *address, uint32_t count)
{
	uint32_t kept = 0;

	ARRAY_SORT(address, count, compare_addresses);
	for (uint32_t i = 0; i < count; i++)
		if (!kept || address[i] != address[kept - 1])
			address[kept++] = address[i];
	return kept;
}

static void fill_bounds(struct code_map *m)
{
	for (uint32_t i = 0; i < m->pieces; i++) {
		m->bound[2 * i] = m->piece[i].start;
		m->bound[2 * i + 1] = m->piece[i].end;
	}
	m->bounds = code_map_sort(m->bound, 2 * m->pieces);
	for (uint32_t i = 0; i < m->bounds; i++)
		m->owner[i] = NO_PIECE;
}

static bool begin_division(struct code_map *m)
{
	size_t most = 2 * (size_t)m->pieces + 1;

	if (m->failed)
		return false;
	m->bound = malloc(most * sizeof(*m->bound));
	m->owner = malloc(most * sizeof(*m->owner));
	m->failed = !m->bound || !m->owner;
	if (!m->failed)
		fill_bounds(m);
	return !m->failed;
}

/* The part that an address is in; m->bounds: before all of them. */
static uint32_t find_part(const struct code_map *m, uint64_t address)
{
	size_t low;

	BISECT(low, m->bounds, m->bound[low] <= address);
	return low ? (uint32_t)low - 1 : m->bounds;
}

static void take_part(struct code_map *m, uint32_t part, uint32_t i, bool latest)
{
	uint32_t *owner = &m->owner[part];

	if (*owner == NO_PIECE)
		*owner = i;
	else if (!latest && *owner != AMBIGUOUS &&
		 strcmp(m->piece[*owner].name, m->piece[i].name) != 0)
		*owner = AMBIGUOUS;
}

void code_map_divide(struct code_map *m, struct symbolize_files *files, bool latest)
{
	if (!begin_division(m))
		return;
	for (uint32_t i = m->pieces; i-- > 0 && !m->failed;) {
		uint32_t part = find_part(m, m->piece[i].start);

		for (; !m->failed && m->bound[part] < m->piece[i].end; part++) {
			take_part(m, part, i, latest);
			m->failed = !symbolize_open_step(files, 1);
		}
	}
}

struct code_answer code_map_find(const struct code_map *m, uint64_t address)
{
	uint32_t part = m->failed || !m->bounds ? m->bounds : find_part(m, address), owner;

	if (part >= m->bounds)
		return (struct code_answer){0};
	owner = m->owner[part];
	if (owner == NO_PIECE || owner == AMBIGUOUS)
		return (struct code_answer){.ambiguous = owner == AMBIGUOUS};
	return (struct code_answer){.piece = &m->piece[owner]};
}

void code_map_clear(struct code_map *m)
{
	PROF_FREE(m, piece, bound, owner);
	*m = (struct code_map){0};
}
