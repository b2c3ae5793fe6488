// SPDX-License-Identifier: GPL-3.0-or-later
/* By the most significant word first, rows with equal words by the next one. Within a word the
 * least significant byte comes first: that keeps the order of rows that are equal, so that
 * those are read from the memory as they lie there. */
#include "report/model/row_sort.h"

#include <stddef.h>
#include <stdlib.h>

#include "profile/base/array.h"

#define SMALL  24 /* items that are inserted one by one */
#define DIGITS 8
#define VALUES 256

struct __attribute__((packed, aligned(4))) item {
	uint64_t key;
	uint32_t row;
};

struct sorting {
	struct item *item, *other; /* as long */
	const struct row_sort_keys *order;
};

static void insert_all(struct item *item, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct item moving = item[i];
		uint32_t at = i;

		for (; at > 0 && moving.key < item[at - 1].key; at--)
			item[at] = item[at - 1];
		item[at] = moving;
	}
}

static unsigned digit_of(const struct item *item, unsigned shift)
{
	return (unsigned)(item->key >> shift) & (VALUES - 1);
}

static void sort_digit(const struct item *from, struct item *to, uint32_t count, unsigned shift)
{
	uint32_t start[VALUES] = {0}, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		start[digit_of(&from[i], shift)]++;
	for (unsigned v = 0; v < VALUES; v++) {
		uint32_t n = start[v];

		start[v] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < count; i++)
		to[start[digit_of(&from[i], shift)]++] = from[i];
}

/* Only the digits that differ anywhere. */
static void sort_digits(struct item *item, struct item *other, uint32_t count)
{
	struct item *from = item, *to = other, *last;
	uint64_t differ = 0;

	for (uint32_t i = 1; i < count; i++)
		differ |= item[i].key ^ item[0].key;
	for (unsigned shift = 0; shift < 8 * DIGITS; shift += 8) {
		if (!(differ >> shift & (VALUES - 1)))
			continue;
		sort_digit(from, to, count, shift);
		last = from;
		from = to;
		to = last;
	}
	for (uint32_t i = 0; from != item && i < count; i++)
		item[i] = from[i];
}

/* Rows without a word go to the front. How many there are. */
static uint32_t take_words(struct sorting *s, struct item *item, struct item *other, uint32_t count,
			   uint32_t level)
{
	uint32_t ended = 0, going = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = item[i].row;
		uint64_t key;

		if (s->order->word(row, level, &key, s->order->context))
			other[going++] = (struct item){key, row};
		else
			item[ended++].row = row;
	}
	for (uint32_t i = 0; i < going; i++)
		item[ended + i] = other[i];
	return ended;
}

/* Rows at these places, equal in so many words. */
static bool go_on(const struct sorting *s, uint32_t from, uint32_t to, uint32_t words)
{
	const struct row_sort_keys *o = s->order;

	if (!o->matters || words < o->always || from < o->first)
		return true;
	for (uint32_t i = from; i < to; i++)
		if (o->matters(s->item[i].row, o->context))
			return true;
	return false;
}

/* Recursion is as deep as keys are equal. */
static void sort_from(struct sorting *s, uint32_t from, uint32_t to, uint32_t level)
{
	struct item *item = s->item;

	from += take_words(s, item + from, s->other + from, to - from, level);
	if (to - from <= SMALL)
		insert_all(item + from, to - from);
	else
		sort_digits(item + from, s->other + from, to - from);
	while (from < to) {
		uint32_t end = from + 1;

		while (end < to && item[end].key == item[from].key)
			end++;
		if (end - from > 1 && go_on(s, from, end, level + 1))
			sort_from(s, from, end, level + 1);
		from = end;
	}
}

int row_sort(uint32_t *place, uint32_t count, const struct row_sort_keys *order)
{
	struct sorting s = {.order = order};
	size_t bytes = ((size_t)count + 1) * sizeof(*s.item);
	bool room;

	s.item = array_alloc(bytes);
	s.other = array_alloc(bytes);
	room = s.item && s.other;
	if (room) {
		for (uint32_t i = 0; i < count; i++)
			s.item[i].row = i;
		sort_from(&s, 0, count, 0);
		for (uint32_t i = 0; i < count; i++)
			place[s.item[i].row] = i;
	}
	free(s.item);
	free(s.other);
	return room ? 0 : -1;
}
