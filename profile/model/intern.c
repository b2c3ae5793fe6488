// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal modules, functions, lines and pieces of generated code of all files and threads become one
 * (paths: intern_paths.c). The hash of each model has a secret key, so that no file holds thousands
 * of elements that all fall into one place of its tables. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistr.h>

#include "profile/model/model.h"

/* Two elements are equal where their plain bytes, which have no padding, and their texts are. */
static const struct kind {
	size_t plain, plain_bytes;
	unsigned texts;
	size_t text[2]; /* where they are: each a char *, copied */
} kinds[MODEL_INTERNED] = {
#define PLAIN(type, first, last)                                                                   \
	offsetof(struct type, first), PROF_RUN_BYTES((struct type *)0, first, last)
	[MODEL_MODULE] = {PLAIN(prof_module, build_id, build_id_bytes),
			  1,
			  {offsetof(struct prof_module, path)}},
	[MODEL_FUNCTION] = {0,
			    0,
			    2,
			    {offsetof(struct prof_function, name),
			     offsetof(struct prof_function, library)}},
	[MODEL_SOURCE_FUNCTION] = {PLAIN(prof_source_function, first_line, language),
				   2,
				   {offsetof(struct prof_source_function, name),
				    offsetof(struct prof_source_function, file)}},
	[MODEL_SOURCE_LINE] = {PLAIN(prof_source_line, function, address), 0, {0}},
	[MODEL_GENERATED] = {PLAIN(prof_generated, start, pid),
			     1,
			     {offsetof(struct prof_generated, name)}},
};

struct interned {
	uint64_t key[2];
	struct number_table table[MODEL_INTERNED]; /* empty: to be filled again */
};

static struct interned *index_of(struct profile *p)
{
	struct interned *x = p->index->interned;

	if (x)
		return x;
	x = p->index->interned = calloc(1, sizeof *x);
	if (x && getrandom(x->key, sizeof x->key, GRND_NONBLOCK) != (ssize_t)sizeof x->key) {
		x->key[0] = (uint64_t)(uintptr_t)x ^ (uint64_t)time(NULL) << 32;
		x->key[1] = (uint64_t)(uintptr_t)&x ^ 0x9e3779b97f4a7c15u;
	}
	return x;
}

static char *text_of(const struct kind *k, const void *element, unsigned i)
{
	char *text;

	memcpy(&text, (const char *)element + k->text[i], sizeof text);
	return text;
}

static uint64_t mix(const struct interned *x, uint64_t h, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(h ^ word) * (x->key[1] | 1);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static uint64_t mix_bytes(const struct interned *x, uint64_t h, const char *from, size_t bytes)
{
	h = mix(x, h, bytes ^ x->key[0]);
	for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, from + at, bytes - at < sizeof word ? bytes - at : sizeof word);
		h = mix(x, h, word);
	}
	return h;
}

static uint32_t hash_of(const struct interned *x, const struct kind *k, const char *element)
{
	uint64_t h = mix_bytes(x, x->key[0], element + k->plain, k->plain_bytes);

	for (unsigned i = 0; i < k->texts; i++)
		h = mix_bytes(x, h, text_of(k, element, i), strlen(text_of(k, element, i)));
	h = mix(x, h, x->key[0]);
	return (uint32_t)(h ^ h >> 32);
}

struct sought {
	const struct profile *p;
	enum model_array kind;
};

static bool same(const void *context, const void *wanted, uint32_t number)
{
	const struct sought *s = context;
	const struct kind *k = &kinds[s->kind];
	const char *known = model_element(s->p, s->kind, number), *w = wanted;

	for (unsigned i = 0; i < k->texts; i++)
		if (strcmp(text_of(k, known, i), text_of(k, w, i)))
			return false;
	return !memcmp(known + k->plain, w + k->plain, k->plain_bytes);
}

/* Room for one more in the table, which is filled again where it is empty. */
static bool make_room(struct profile *p, struct interned *x, enum model_array kind)
{
	struct number_table *t = &x->table[kind];
	uint32_t count = *model_count(p, kind);
	bool empty = !t->slots;

	if (number_table_reserve(t, count + 1) < 0)
		return false;
	for (uint32_t i = 0; empty && i < count; i++)
		number_table_add(t, hash_of(x, &kinds[kind], model_element(p, kind, i)), i);
	return true;
}

static void free_texts(const struct kind *k, const char *element, unsigned texts)
{
	for (unsigned i = 0; i < texts; i++)
		free(text_of(k, element, i));
}

/* From the caller's to its own. */
static bool copy_texts(const struct kind *k, char *element)
{
	for (unsigned i = 0; i < k->texts; i++) {
		char *own = strdup(text_of(k, element, i));

		memcpy(element + k->text[i], &own, sizeof own);
		if (own)
			continue;
		free_texts(k, element, i);
		return false;
	}
	return true;
}

/* Index in the model of an equal element (struct prof_module and so on), which is copied with its
 * texts if it is new. PROF_NONE: out of memory. PROF_NO_MODULE: no number is left for it. */
static uint32_t intern_add(struct profile *p, enum model_array kind, const void *wanted)
{
	struct interned *x = index_of(p);
	uint32_t hash, *count = model_count(p, kind);
	const struct sought sought = {p, kind};

	if (!x || !make_room(p, x, kind))
		return PROF_NONE;
	hash = hash_of(x, &kinds[kind], wanted);
	struct number_slot *slot = number_table_find(&x->table[kind], hash, same, &sought, wanted);
	if (slot->number != NUMBER_TABLE_FREE)
		return slot->number;
	if (kind == MODEL_MODULE && *count == PROF_SOURCE)
		return PROF_NO_MODULE;
	char *own = model_add(p, kind);
	if (!own)
		return PROF_NONE;
	memcpy(own, wanted, model_bytes(kind));
	if (!copy_texts(&kinds[kind], own)) {
		--*count;
		return PROF_NONE;
	}
	*slot = (struct number_slot){*count - 1, hash};
	return *count - 1;
}

uint32_t intern_module(struct profile *p, const char *path, const uint8_t *build_id,
		       uint32_t build_id_bytes)
{
	struct prof_module m = {.path = (char *)path, .build_id_bytes = build_id_bytes};

	if (build_id)
		memcpy(m.build_id, build_id, build_id_bytes);
	return intern_add(p, MODEL_MODULE, &m);
}

uint32_t intern_function(struct profile *p, const char *name, const char *library, uint32_t group)
{
	const struct prof_function f = {
		.name = (char *)name, .library = (char *)library, .group = group};

	return intern_add(p, MODEL_FUNCTION, &f);
}

void intern_forget(struct profile *p, enum model_array kind, uint32_t from)
{
	uint32_t *count = model_count(p, kind);

	if (p->index->interned && (!from || *count > from))
		number_table_clear(&p->index->interned->table[kind]);
	while (*count > from)
		free_texts(&kinds[kind], model_element(p, kind, --*count), kinds[kind].texts);
}

/* Functions of interpreted languages and generated code: their names are UTF-8 as in RFC 3629. */

/* Bytes of the character at `s`; 0: it is none, or it is a control character. */
static size_t printable(const char *s)
{
	ucs4_t character;
	int bytes = u8_strmbtouc(&character, (const uint8_t *)s);

	return bytes <= 0 || character < 0x20 || (character >= 0x7f && character < 0xa0)
		       ? 0
		       : (size_t)bytes;
}

/* Copies `from` as UTF-8 without control characters, each byte of anything else as '?', in `room`
 * bytes with the NUL at most. What is longer loses its end, or with `keep_end` its beginning; no
 * character is cut in two. Cleaning twice changes nothing. */
static void clean_text(char *to, size_t room, const char *from, bool keep_end)
{
	size_t length = strlen(from), used = 0;

	if (keep_end && length >= room) {
		from += length - (room - 1);
		for (int i = 0; i < 3 && (*from & 0xc0) == 0x80; i++) /* within a character */
			from++;
	}
	while (*from) {
		size_t bytes = printable(from), taken = bytes ? bytes : 1;

		if (used + taken >= room)
			break;
		memcpy(to + used, bytes ? from : "?", taken);
		used += taken;
		from += taken;
	}
	to[used] = 0;
}

uint32_t source_add_function(struct profile *p, const struct prof_source_function *f)
{
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	struct prof_source_function own = *f;

	clean_text(name, sizeof name, f->name, false);
	clean_text(file, sizeof file, f->file, true);
	own.name = name;
	own.file = file;
	return intern_add(p, MODEL_SOURCE_FUNCTION, &own);
}

uint32_t source_add_line(struct profile *p, const struct prof_source_line *l)
{
	return intern_add(p, MODEL_SOURCE_LINE, l);
}

uint32_t source_add_generated(struct profile *p, const struct prof_generated *g)
{
	char name[SCP_SOURCE_NAME_MAX];
	struct prof_generated own = *g;

	if (!g->bytes || g->start + g->bytes < g->start)
		return PROF_NONE;
	clean_text(name, sizeof name, g->name, false);
	own.name = name;
	return intern_add(p, MODEL_GENERATED, &own);
}
