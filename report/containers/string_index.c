// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash from text to number beside an array from number to text. */
#define HASH_NONFATAL_OOM 1
#include "report/containers/string_index.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct string_index_text {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

static bool make_room(struct string_index *n)
{
	uint32_t room = n->room ? 2 * n->room : 256;
	const char **text;

	if (n->count < n->room)
		return true;
	text = realloc(n->text, room * sizeof(*text));
	if (!text)
		return false;
	n->text = text;
	n->room = room;
	return true;
}

static struct string_index_text *new_name(struct string_index *n, const char *text, size_t bytes)
{
	struct string_index_text *e = make_room(n) ? calloc(1, sizeof(*e) + bytes + 1) : NULL;

	if (!e)
		return NULL;
	memcpy(e->text, text, bytes);
	e->number = n->count;
	HASH_ADD_KEYPTR(hh, n->by_text, e->text, bytes, e);
	if (e->hh.tbl)
		return e;
	free(e);
	return NULL;
}

uint32_t string_index_add(struct string_index *n, const char *text)
{
	struct string_index_text *e;
	size_t bytes;

	if (!text)
		return STRING_INDEX_NONE;
	bytes = strlen(text);
	HASH_FIND(hh, n->by_text, text, bytes, e);
	if (e)
		return e->number;
	e = new_name(n, text, bytes);
	if (!e) {
		n->failed = true;
		return STRING_INDEX_NONE;
	}
	n->text[n->count] = e->text;
	return n->count++;
}

void string_index_clear(struct string_index *n)
{
	struct string_index_text *e, *next;

	HASH_ITER(hh, n->by_text, e, next)
	{
		HASH_DEL(n->by_text, e);
		free(e);
	}
	free(n->text);
	*n = (struct string_index){0};
}
