// SPDX-License-Identifier: GPL-3.0-or-later
/* The pairs in an array, their numbers in a hash table. */
#include "report/containers/pairs.h"

#include <stdlib.h>

#include "profile/base/array.h"

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) of both numbers at once; the
 * upper bits are the well mixed ones. */
static uint32_t hash(uint32_t a, uint32_t b)
{
	uint64_t h = (((uint64_t)a << 32) | b) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

static bool same_pair(const void *pairs, const void *wanted, uint32_t number)
{
	const struct pair *a = (const struct pair *)pairs + number, *b = wanted;

	return a->a == b->a && a->b == b->b;
}

/* False: out of memory, and nothing has changed. */
static bool make_room(struct pairs *p)
{
	struct pair *grown = array_room(p->pair, &p->room, p->count, sizeof(*p->pair));

	if (grown)
		p->pair = grown;
	return grown && p->count < PAIRS_NONE && number_table_reserve(&p->table, p->count + 1) == 0;
}

uint32_t pairs_add(struct pairs *p, uint32_t a, uint32_t b)
{
	const struct pair wanted = {a, b};
	uint32_t mixed = hash(a, b);
	struct number_slot *slot;

	if (!make_room(p))
		return PAIRS_NONE;
	slot = number_table_find(&p->table, mixed, same_pair, p->pair, &wanted);
	if (slot->number == NUMBER_TABLE_FREE) {
		p->pair[p->count] = wanted;
		*slot = (struct number_slot){p->count++, mixed};
	}
	return slot->number;
}

void pairs_clear(struct pairs *p)
{
	free(p->pair);
	number_table_clear(&p->table);
	*p = (struct pairs){0};
}
