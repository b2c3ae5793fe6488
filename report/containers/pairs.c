// SPDX-License-Identifier: GPL-3.0-or-later
/* Open addressing, at most half full: the slots hold numbers of pairs. */
#include "report/containers/pairs.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024u /* a power of two, and so are the slots */

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) of both numbers at once; the
 * upper bits are the well mixed ones. */
static uint32_t hash(uint32_t a, uint32_t b)
{
	uint64_t h = (((uint64_t)a << 32) | b) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

/* The slot of a pair, or the empty one where it belongs. */
static uint32_t *find_slot(const struct pairs *p, uint32_t a, uint32_t b)
{
	uint32_t at = hash(a, b) & (p->slots - 1);

	while (p->slot[at] != PAIRS_NONE) {
		const struct pair *found = &p->pair[p->slot[at]];

		if (found->a == a && found->b == b)
			break;
		at = (at + 1) & (p->slots - 1);
	}
	return &p->slot[at];
}

/* Twice as many. False: out of memory, and nothing has changed. */
static bool make_room(struct pairs *p)
{
	uint32_t room = p->room ? 2 * p->room : FIRST_ROOM;
	uint32_t *slot = NULL;
	struct pair *pair;

	if (room > UINT32_MAX / 4)
		return false;
	pair = realloc(p->pair, room * sizeof(*pair));
	if (!pair)
		return false;
	p->pair = pair;
	slot = malloc(2 * (size_t)room * sizeof(*slot));
	if (!slot)
		return false;
	free(p->slot);
	p->slot = slot;
	p->slots = 2 * room;
	p->room = room;
	memset(slot, 0xff, p->slots * sizeof(*slot)); /* PAIRS_NONE */
	for (uint32_t i = 0; i < p->count; i++)
		*find_slot(p, pair[i].a, pair[i].b) = i;
	return true;
}

uint32_t pairs_add(struct pairs *p, uint32_t a, uint32_t b)
{
	uint32_t *slot;

	if (p->count == p->room && !make_room(p))
		return PAIRS_NONE;
	slot = find_slot(p, a, b);
	if (*slot == PAIRS_NONE) {
		p->pair[p->count] = (struct pair){a, b};
		*slot = p->count++;
	}
	return *slot;
}

void pairs_clear(struct pairs *p)
{
	free(p->pair);
	free(p->slot);
	*p = (struct pairs){0};
}
