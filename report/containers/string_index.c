// SPDX-License-Identifier: GPL-3.0-or-later
/* The texts in an array, their numbers in a hash table. */
#include "report/containers/string_index.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

static uint32_t hash(const char *text)
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
	struct number_slot *slot;
	uint32_t mixed;

	if (!text)
		return STRING_INDEX_NONE;
	if (!array_reach((void **)&n->text, &n->room, n->count, sizeof(*n->text), 0) ||
	    number_table_reserve(&n->table, n->count + 1) < 0) {
		n->failed = true;
		return STRING_INDEX_NONE;
	}
	mixed = hash(text);
	slot = number_table_find(&n->table, mixed, same_text, n->text, text);
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

void string_index_clear(struct string_index *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->text[i]);
	free(n->text);
	number_table_clear(&n->table);
	*n = (struct string_index){0};
}
