// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash from text to number beside an array from number to text. */
#include "strings.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct strings_entry {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

static bool make_room(struct strings *s)
{
	uint32_t room = s->room ? 2 * s->room : 256;
	const char **text;

	if (s->count < s->room)
		return true;
	text = realloc(s->text, room * sizeof(*text));
	if (!text)
		return false;
	s->text = text;
	s->room = room;
	return true;
}

uint32_t strings_add(struct strings *s, const char *text)
{
	struct strings_entry *e;
	size_t bytes;

	if (!text)
		return STRINGS_NONE;
	bytes = strlen(text);
	HASH_FIND(hh, s->by_text, text, bytes, e);
	if (e)
		return e->number;
	e = make_room(s) ? malloc(sizeof(*e) + bytes + 1) : NULL;
	if (!e) {
		s->failed = true;
		return STRINGS_NONE;
	}
	memcpy(e->text, text, bytes + 1);
	e->number = s->count;
	s->text[s->count++] = e->text;
	HASH_ADD_KEYPTR(hh, s->by_text, e->text, bytes, e);
	return e->number;
}

void strings_clear(struct strings *s)
{
	struct strings_entry *e, *next;

	HASH_ITER(hh, s->by_text, e, next)
	{
		HASH_DEL(s->by_text, e);
		free(e);
	}
	free(s->text);
	*s = (struct strings){0};
}
