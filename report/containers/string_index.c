// SPDX-License-Identifier: GPL-3.0-or-later
/* The texts, or the pairs, are in an array, their numbers in a hash table. */
#include "report/containers/string_index.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_text(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (uint32_t)(h ^ h >> 32);
}

static bool same_text(const void *texts, const void *wanted, uint32_t number)
{
	return !strcmp(((const char *const *)texts)[number], wanted);
}

uint32_t string_index_add(struct string_index *n, const char *text)
{
	if (!text)
		return STRING_INDEX_NONE;
	if (!array_reach((void **)&n->text, &n->room, n->count, sizeof(*n->text), 0) ||
	    number_table_reserve(&n->table, n->count + 1) < 0) {
		n->failed = true;
		return STRING_INDEX_NONE;
	}
	uint32_t mixed = hash_text(text);
	struct number_slot *slot = number_table_find(&n->table, mixed, same_text, n->text, text);
	if (slot->number != NUMBER_TABLE_FREE)
		return slot->number;
	n->text[n->count] = strdup(text);
	if (!n->text[n->count]) {
		n->failed = true;
		return STRING_INDEX_NONE;
	}
	*slot = (struct number_slot){n->count, mixed};
	return n->count++;
}

uint32_t string_index_take(struct string_index *n, char *text)
{
	uint32_t number = string_index_add(n, text);

	n->failed |= !text;
	free(text);
	return number;
}

void string_index_clear(struct string_index *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->text[i]);
	free(n->text);
	number_table_clear(&n->table);
	*n = (struct string_index){0};
}

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) of both numbers at once; the
 * upper bits are the well mixed ones. */
static uint32_t hash_pair(uint32_t a, uint32_t b)
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
	uint32_t mixed = hash_pair(a, b);
	const struct number_slot *known =
		p->count ? number_table_find(&p->table, mixed, same_pair, p->pair, &wanted) : NULL;

	if (known && known->number != NUMBER_TABLE_FREE)
		return known->number;
	if (!make_room(p))
		return PAIRS_NONE;
	p->pair[p->count] = wanted;
	number_table_add(&p->table, mixed, p->count);
	return p->count++;
}

void pairs_clear(struct pairs *p)
{
	free(p->pair);
	number_table_clear(&p->table);
	*p = (struct pairs){0};
}
