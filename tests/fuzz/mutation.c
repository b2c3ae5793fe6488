// SPDX-License-Identifier: GPL-3.0-or-later
/* Every number of a profile is a 4 or 8 byte word in its place, so words are what is changed, of
 * all kinds of records alike: of a million entries and one table, the table is chosen as often. */
#include "tests/fuzz/mutation.h"

#include <stdlib.h>
#include <string.h>

#include "include/scprof_format.h"

#define TYPES	  (SCP_REC_GENERATED + 1)
#define HEAD	  sizeof(struct scp_record)
#define HOT_BYTES 192 /* where records hold numbers; behind are texts, or more of the same */

struct place {
	size_t at, bytes;
};

struct list {
	struct place *place;
	size_t count, room;
};

struct mutation_map {
	const uint8_t *data;
	size_t size;
	struct list header, chunks, records[TYPES];
	uint32_t kind[TYPES], kinds; /* types that there are */
};

struct change {
	const struct mutation_map *m;
	uint8_t *to;
	uint64_t state;
};

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t next(struct change *c)
{
	uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static size_t below(struct change *c, size_t n)
{
	return (size_t)(next(c) % n);
}

static int add(struct list *l, size_t at, size_t bytes)
{
	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct place *larger = realloc(l->place, room * sizeof(*larger));

		if (!larger)
			return -1;
		l->place = larger;
		l->room = room;
	}
	l->place[l->count++] = (struct place){at, bytes};
	return 0;
}

static int map_records(struct mutation_map *m, size_t at, size_t end)
{
	struct scp_record r;

	while (at + HEAD <= end) {
		memcpy(&r, m->data + at, HEAD);
		if (r.bytes < SCP_RECORD_ALIGN || r.bytes > end - at)
			return 0;
		if (r.type < TYPES && add(&m->records[r.type], at, r.bytes))
			return -1;
		at += r.bytes;
	}
	return 0;
}

static int map_all(struct mutation_map *m)
{
	struct scp_chunk c;
	size_t at = SCP_HEADER_BYTES;

	if (add(&m->header, 0, sizeof(struct scp_header)))
		return -1;
	while (at + sizeof(c) <= m->size) {
		memcpy(&c, m->data + at, sizeof(c));
		if ((c.magic != SCP_CHUNK_MAGIC && c.magic != SCP_OPTIONAL_MAGIC) ||
		    c.bytes < SCP_GRANULE || c.bytes > m->size - at || c.used > c.bytes) {
			at += SCP_GRANULE;
			continue;
		}
		if (add(&m->chunks, at, sizeof(c)) ||
		    map_records(m, at + sizeof(c), at + (size_t)c.used))
			return -1;
		at += (size_t)c.bytes;
	}
	for (uint32_t i = 0; i < TYPES; i++)
		if (m->records[i].count)
			m->kind[m->kinds++] = i;
	return m->kinds ? 0 : -1;
}

struct mutation_map *mutation_map_new(const uint8_t *data, size_t size)
{
	struct mutation_map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->data = data;
	m->size = size;
	if (size >= SCP_HEADER_BYTES && !map_all(m))
		return m;
	mutation_map_free(m);
	return NULL;
}

void mutation_hide_modules(const struct mutation_map *m, uint8_t *data)
{
	const struct list *l = &m->records[SCP_REC_MODULE];

	for (size_t i = 0; i < l->count; i++)
		if (l->place[i].bytes >= sizeof(struct scp_module))
			data[l->place[i].at + offsetof(struct scp_module, build_id)] ^= 0xff;
}

void mutation_map_free(struct mutation_map *m)
{
	for (size_t i = 0; i < TYPES; i++)
		free(m->records[i].place);
	free(m->chunks.place);
	free(m->header.place);
	free(m);
}

/* A word of the mutant. */
struct word {
	const struct list *list;
	size_t index, offset, width; /* of the list's place; in it; 1, 2, 4 or 8 bytes */
};

static const struct list *some_list(struct change *c)
{
	const struct mutation_map *m = c->m;
	size_t choice = below(c, 20);

	if (choice < 4)
		return &m->header;
	return choice < 5 ? &m->chunks : &m->records[m->kind[below(c, m->kinds)]];
}

static struct word some_word(struct change *c)
{
	struct word w = {.list = some_list(c)};
	size_t bytes;

	w.index = below(c, w.list->count);
	bytes = w.list->place[w.index].bytes;
	if (bytes > HOT_BYTES && w.list != &c->m->header && below(c, 4))
		bytes = HOT_BYTES;
	w.width = below(c, 8) ? 4u << below(c, 2) : 1u << below(c, 2);
	w.offset = below(c, bytes / w.width) * w.width;
	return w;
}

/* The same word of another record of the kind. */
static struct word beside(struct change *c, struct word w)
{
	struct word other = w;

	other.index = below(c, w.list->count);
	return w.offset + w.width <= other.list->place[other.index].bytes ? other : w;
}

static uint8_t *bytes_of(const struct change *c, struct word w)
{
	return c->to + w.list->place[w.index].at + w.offset;
}

static uint64_t get(const struct change *c, struct word w)
{
	uint64_t value = 0;

	memcpy(&value, bytes_of(c, w), w.width);
	return value;
}

static void set(const struct change *c, struct word w, uint64_t value)
{
	memcpy(bytes_of(c, w), &value, w.width);
}

static uint64_t extreme(struct change *c)
{
	static const uint64_t values[] = {63,
					  64,
					  4096,
					  0x7fffffff,
					  0x80000000,
					  0xffffffff,
					  UINT64_C(1) << 32,
					  UINT64_C(1) << 53,
					  UINT64_C(1) << 62,
					  INT64_MAX,
					  UINT64_C(1) << 63,
					  UINT64_MAX - 63,
					  UINT64_MAX,
					  UINT64_C(0x7ff8000000000000), /* a NAN */
					  UINT64_C(1000000000000000),	/* limits of costs */
					  UINT64_C(1000000000000)};
	size_t choice = below(c, sizeof(values) / sizeof(*values) + 2);

	if (!below(c, 3)) /* few calls, no freedom: where most rules begin to hold */
		return below(c, 4);
	if (choice == 0)
		return UINT64_C(1) << below(c, 64);
	if (choice == 1)
		return next(c) >> below(c, 64);
	return values[choice - 2];
}

static uint64_t changed(struct change *c, uint64_t value)
{
	switch (below(c, 8)) {
	case 0:
		return value + 1;
	case 1:
		return value - 1;
	case 2:
		return value * 2;
	case 3:
		return value / 2;
	case 4:
		return -value;
	case 5:
		return value << below(c, 40);
	case 6:
		return value ^ UINT64_C(1) << below(c, 64);
	default:
		return extreme(c);
	}
}

/* One record over another, with all that it refers to. */
static void take_place(struct change *c)
{
	const struct list *l = some_list(c);
	struct place from = l->place[below(c, l->count)], to = l->place[below(c, l->count)];
	size_t bytes = from.bytes < to.bytes ? from.bytes : to.bytes;

	memmove(c->to + to.at + HEAD, c->to + from.at + HEAD, bytes - HEAD);
}

static void change_once(struct change *c)
{
	struct word w = some_word(c), other;
	uint64_t value;

	switch (below(c, 10)) {
	case 0:
		other = some_word(c);
		set(c, w, get(c, other));
		break;
	case 1:
	case 2:
		set(c, w, get(c, beside(c, w)));
		break;
	case 3:
		value = below(c, 2) ? get(c, w) : extreme(c);
		set(c, beside(c, w), value);
		set(c, w, -value);
		break;
	case 4:
		value = extreme(c);
		for (w.index = 0; w.index < w.list->count; w.index++)
			if (w.offset + w.width <= w.list->place[w.index].bytes)
				set(c, w, value);
		break;
	case 5:
		take_place(c);
		break;
	case 6:
	case 7:
		set(c, w, changed(c, get(c, w)));
		break;
	default:
		set(c, w, extreme(c));
	}
}

size_t mutation_make(const struct mutation_map *m, uint64_t number, uint8_t *to)
{
	struct change c = {m, to, number};
	size_t changes = 1 + (below(&c, 3) ? below(&c, 10) : 0);

	memcpy(to, m->data, m->size);
	while (changes-- > 0)
		change_once(&c);
	return below(&c, 40) ? m->size : below(&c, m->size);
}
