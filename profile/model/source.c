// SPDX-License-Identifier: GPL-3.0-or-later
/* The hash of each model has a secret key, so that no file holds thousands of elements that all
 * fall into one place of its tables. Names are UTF-8 as in RFC 3629: the shortest form, no
 * surrogates, nothing above U+10FFFF. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "profile/base/number_table.h"
#include "profile/model/model.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the character at `s`; 0: it is none, or it is a control character. */
static size_t printable(const char *s)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *b = (const unsigned char *)s;
	size_t bytes = b[0] < 0x80 ? 1 : b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
	uint32_t character = bytes == 1 ? b[0] : b[0] & (0x7fu >> bytes);

	if (is_continuation(b[0]) || b[0] >= 0xf8)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if (!is_continuation(b[i])) /* the NUL at the end is none */
			return 0;
		character = character << 6 | (b[i] & 0x3f);
	}
	if (character < least[bytes] || character > 0x10ffff || character >> 11 == 0x1b)
		return 0;
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ? 0 : bytes;
}

/* Copies `from` as UTF-8 without control characters, each byte of anything else as '?', in `room`
 * bytes with the NUL at most. What is longer loses its end, or with `keep_end` its beginning; no
 * character is cut in two. Cleaning twice changes nothing. */
static void clean_text(char *to, size_t room, const char *from, bool keep_end)
{
	size_t length = strlen(from), used = 0;

	if (keep_end && length >= room) {
		from += length - (room - 1);
		for (int i = 0; i < 3 && is_continuation((unsigned char)*from); i++)
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

struct source_index {
	uint64_t key[2];
	struct number_table function, line, generated; /* empty: to be filled again */
};

static struct source_index *index_of(struct profile *p)
{
	struct source_index *x = p->index->source;

	if (x)
		return x;
	x = p->index->source = calloc(1, sizeof *x);
	if (x && getrandom(x->key, sizeof x->key, GRND_NONBLOCK) != (ssize_t)sizeof x->key) {
		x->key[0] = (uint64_t)(uintptr_t)x ^ (uint64_t)time(NULL) << 32;
		x->key[1] = (uint64_t)(uintptr_t)&x ^ 0x9e3779b97f4a7c15u;
	}
	return x;
}

static uint64_t mix(const struct source_index *x, uint64_t h, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(h ^ word) * (x->key[1] | 1);

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static uint64_t mix_text(const struct source_index *x, uint64_t h, const char *text)
{
	size_t bytes = strlen(text);

	h = mix(x, h, bytes ^ x->key[0]);
	for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, text + at, bytes - at < sizeof word ? bytes - at : sizeof word);
		h = mix(x, h, word);
	}
	return h;
}

static uint32_t finish(const struct source_index *x, uint64_t h)
{
	h = mix(x, h, x->key[0]);
	return (uint32_t)(h ^ h >> 32);
}

static uint32_t hash_function(const struct source_index *x, const struct prof_source_function *f)
{
	uint64_t h = mix(x, x->key[0], (uint64_t)f->first_line << 32 | f->language);

	return finish(x, mix_text(x, mix_text(x, h, f->name), f->file));
}

static bool same_function(const void *functions, const void *wanted, uint32_t number)
{
	const struct prof_source_function *a =
		(const struct prof_source_function *)functions + number;
	const struct prof_source_function *b = wanted;

	return a->first_line == b->first_line && a->language == b->language &&
	       !strcmp(a->name, b->name) && !strcmp(a->file, b->file);
}

static uint32_t hash_line(const struct source_index *x, const struct prof_source_line *l)
{
	uint64_t h = mix(x, x->key[0], (uint64_t)l->function << 32 | l->line);

	h = mix(x, h, (uint64_t)l->column << 32 | l->end_column);
	h = mix(x, h, (uint64_t)l->address[1] << 32 | l->address[0]);
	return finish(x, mix(x, h, l->instruction));
}

static bool same_line(const void *lines, const void *wanted, uint32_t number)
{
	const struct prof_source_line *a = (const struct prof_source_line *)lines + number;

	return !memcmp(a, wanted, sizeof *a);
}

_Static_assert(sizeof(struct prof_source_line) == 7 * sizeof(uint32_t), "compared without padding");

static uint32_t hash_generated(const struct source_index *x, const struct prof_generated *g)
{
	uint64_t h = mix(x, mix(x, x->key[0], g->start), g->bytes);

	return finish(x, mix_text(x, mix(x, h, g->pid), g->name));
}

static bool same_generated(const void *all, const void *wanted, uint32_t number)
{
	const struct prof_generated *a = (const struct prof_generated *)all + number, *b = wanted;

	return a->start == b->start && a->bytes == b->bytes && a->pid == b->pid &&
	       !strcmp(a->name, b->name);
}

/* Fill the table again where it is empty, and make room in it for one more. The hash of a number is
 * given by a macro argument, so that there is one such function for each kind. */
#define ROOM_OF(what, array, counted, kind)                                                        \
	static int room_for_##what(struct profile *p, struct source_index *x)                      \
	{                                                                                          \
		struct number_table *t = &x->what;                                                 \
		bool empty = !t->slots;                                                            \
                                                                                                   \
		if (p->counted == PROF_NONE - 1 || number_table_reserve(t, p->counted + 1) < 0 ||  \
		    !INTERN_ROOM(p, array, counted, kind))                                         \
			return -1;                                                                 \
		for (uint32_t i = 0; empty && i < p->counted; i++)                                 \
			number_table_add(t, hash_##what(x, &p->array[i]), i);                      \
		return 0;                                                                          \
	}
ROOM_OF(function, source_function, source_functions, MODEL_SOURCE_FUNCTION)
ROOM_OF(line, source_line, source_lines, MODEL_SOURCE_LINE)
ROOM_OF(generated, generated, generateds, MODEL_GENERATED)

uint32_t source_add_function(struct profile *p, const struct prof_source_function *f)
{
	struct source_index *x = index_of(p);
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	struct prof_source_function own = *f;
	struct number_slot *slot;
	uint32_t hash;

	if (!x || room_for_function(p, x))
		return PROF_NONE;
	clean_text(name, sizeof name, f->name, false);
	clean_text(file, sizeof file, f->file, true);
	own.name = name;
	own.file = file;
	hash = hash_function(x, &own);
	slot = number_table_find(&x->function, hash, same_function, p->source_function, &own);
	if (slot->number != NUMBER_TABLE_FREE)
		return slot->number;
	own.name = strdup(name);
	own.file = strdup(file);
	if (!own.name || !own.file) {
		free(own.name);
		free(own.file);
		return PROF_NONE;
	}
	*slot = (struct number_slot){p->source_functions, hash};
	p->source_function[p->source_functions] = own;
	return p->source_functions++;
}

uint32_t source_add_line(struct profile *p, const struct prof_source_line *l)
{
	struct source_index *x = index_of(p);
	struct number_slot *slot;
	uint32_t hash;

	if (!x || room_for_line(p, x))
		return PROF_NONE;
	hash = hash_line(x, l);
	slot = number_table_find(&x->line, hash, same_line, p->source_line, l);
	if (slot->number != NUMBER_TABLE_FREE)
		return slot->number;
	*slot = (struct number_slot){p->source_lines, hash};
	p->source_line[p->source_lines] = *l;
	return p->source_lines++;
}

uint32_t source_add_generated(struct profile *p, const struct prof_generated *g)
{
	struct source_index *x = index_of(p);
	char name[SCP_SOURCE_NAME_MAX];
	struct prof_generated own = *g;
	struct number_slot *slot;
	uint32_t hash;

	if (!g->bytes || g->start + g->bytes < g->start || !x || room_for_generated(p, x))
		return PROF_NONE;
	clean_text(name, sizeof name, g->name, false);
	own.name = name;
	hash = hash_generated(x, &own);
	slot = number_table_find(&x->generated, hash, same_generated, p->generated, &own);
	if (slot->number != NUMBER_TABLE_FREE)
		return slot->number;
	own.name = strdup(name);
	if (!own.name)
		return PROF_NONE;
	*slot = (struct number_slot){p->generateds, hash};
	p->generated[p->generateds] = own;
	return p->generateds++;
}

void source_forget(struct profile *p, uint32_t functions, uint32_t lines, uint32_t generateds)
{
	struct source_index *x = p->index->source;

	if (!x || (p->source_functions <= functions && p->source_lines <= lines &&
		   p->generateds <= generateds))
		return;
	number_table_clear(&x->function);
	number_table_clear(&x->line);
	number_table_clear(&x->generated);
	while (p->source_functions > functions) {
		struct prof_source_function *f = &p->source_function[--p->source_functions];

		free(f->name);
		free(f->file);
	}
	while (p->generateds > generateds)
		free(p->generated[--p->generateds].name);
	if (p->source_lines > lines)
		p->source_lines = lines;
}

void source_free(struct profile *p)
{
	struct source_index *x = p->index->source;

	source_forget(p, 0, 0, 0);
	if (x) {
		number_table_clear(&x->function);
		number_table_clear(&x->line);
		number_table_clear(&x->generated);
	}
	free(x);
	free(p->source_function);
	free(p->source_line);
	free(p->generated);
}
