// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash over the texts, and an array of them in order. */
#define HASH_NONFATAL_OOM 1
#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct name {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

struct names {
	struct name *hash;
	struct name **all;
	uint32_t count, room;
};

struct names *names_new(void)
{
	return calloc(1, sizeof(struct names));
}

void names_free(struct names *n)
{
	if (!n)
		return;
	HASH_CLEAR(hh, n->hash);
	for (uint32_t i = 0; i < n->count; i++)
		free(n->all[i]);
	free(n->all);
	free(n);
}

static int make_room(struct names *n)
{
	uint32_t room = n->room ? n->room * 2 : 64;
	struct name **all;

	if (n->count < n->room)
		return 0;
	all = realloc(n->all, room * sizeof(struct name *));
	if (!all)
		return -1;
	n->all = all;
	n->room = room;
	return 0;
}

uint32_t names_add(struct names *n, const char *text)
{
	size_t bytes = strlen(text);
	struct name *name;

	HASH_FIND(hh, n->hash, text, bytes, name);
	if (name)
		return name->number;
	name = make_room(n) < 0 ? NULL : calloc(1, sizeof(*name) + bytes + 1);
	if (!name)
		return NAMES_NONE;
	memcpy(name->text, text, bytes);
	name->number = n->count;
	HASH_ADD_KEYPTR(hh, n->hash, name->text, bytes, name);
	if (!name->hh.tbl) {
		free(name);
		return NAMES_NONE;
	}
	n->all[n->count] = name;
	return n->count++;
}

uint32_t names_count(const struct names *n)
{
	return n->count;
}

const char *names_text(const struct names *n, uint32_t number)
{
	return n->all[number]->text;
}
