// SPDX-License-Identifier: GPL-3.0-or-later
/* By the most significant word first, rows with equal words by the next one. */
#include "report/model/sites.h"

#include <stddef.h>
#include <stdlib.h>

#include "profile/base/array.h"

struct __attribute__((packed, aligned(4))) item {
	uint64_t key;
	uint32_t row;
};

struct sorting {
	struct item *item, *other; /* as long */
	const struct row_sort_keys *order;
};

/* Rows that are equal keep their order, so that they are read from the memory as they lie there. */
static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
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
	qsort(item + from, to - from, sizeof(*item), compare_items);
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
