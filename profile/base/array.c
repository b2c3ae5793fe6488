// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays double when they grow. Huge pages are advice: without them everything is the same, and
 * slower. */
#include "profile/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_ROOM 16
#define LEAST	   (2 * ARRAY_HUGE_PAGE)

int array_by_number(const void *left, const void *right)
{
	return ARRAY_ORDER(*(const uint32_t *)left, *(const uint32_t *)right);
}

void *array_alloc(size_t bytes)
{
	void *memory;

	if (bytes < LEAST)
		return malloc(bytes);
	if (posix_memalign(&memory, ARRAY_HUGE_PAGE, bytes) != 0)
		return NULL;
	madvise(memory, bytes & ~(ARRAY_HUGE_PAGE - 1), MADV_HUGEPAGE);
	return memory;
}

void *array_copy(const void *from, size_t bytes)
{
	void *copy = from ? malloc(bytes) : NULL;

	return copy ? memcpy(copy, from, bytes) : NULL;
}

/* The array with room for `least` elements at least, the new ones not set; NULL: no memory. */
static void *grow(void *array, uint32_t *room, uint64_t least, size_t size)
{
	uint64_t more = *room ? 2 * (uint64_t)*room : FIRST_ROOM;

	if (more < least)
		more = 2 * least;
	if (more > UINT32_MAX)
		more = UINT32_MAX;
	if (more < least || more > SIZE_MAX / size)
		return NULL;
	void *grown = realloc(array, more * size);
	if (grown)
		*room = (uint32_t)more;
	return grown;
}

void *array_room(void *array, uint32_t *room, uint32_t count, size_t size)
{
	char *all = count < *room ? array : grow(array, room, (uint64_t)count + 1, size);

	if (all)
		memset(all + count * size, 0, size); /* no more: the rest may never be needed */
	return all;
}

void *array_append(void *array, size_t count, size_t size)
{
	char *all = count & (count - 1) ? array : reallocarray(array, count ? 2 * count : 1, size);

	if (all)
		memset(all + count * size, 0, size);
	return all;
}

void *array_expect(void *array, uint32_t *room, uint32_t count, uint32_t more, size_t size)
{
	uint64_t all = (uint64_t)count + more, twice = 2 * (uint64_t)*room;

	if (all <= *room || all > UINT32_MAX)
		return array;
	if (all < twice && twice <= UINT32_MAX) /* one of many files */
		all = twice;
	void *grown = array_alloc(all * size);
	if (!grown)
		return array;
	if (count)
		memcpy(grown, array, count * size);
	free(array);
	*room = (uint32_t)all;
	return grown;
}

bool array_reach(void **array, uint32_t *room, uint32_t number, size_t size, unsigned char fill)
{
	uint32_t before = *room;

	if (number < before)
		return true;
	char *grown = grow(*array, room, (uint64_t)number + 1, size);
	if (!grown)
		return false;
	memset(grown + before * size, fill, (*room - before) * size);
	*array = grown;
	return true;
}

uint32_t *array_order(uint32_t count, int (*compare)(const void *, const void *, void *),
		      void *context)
{
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, count, sizeof(*order), compare, context);
	return order;
}

static uint32_t key_at(const void *array, size_t size, uint32_t i)
{
	return *(const uint32_t *)(const void *)((const char *)array + i * size);
}

int array_by_key(const void *array, uint32_t count, size_t size, uint32_t keys, uint32_t **order,
		 uint32_t **from)
{
	uint32_t *start = *from = calloc((size_t)keys + 2, sizeof(*start));

	*order = malloc(((size_t)count + 1) * sizeof(**order));
	if (!start || !*order)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		start[key_at(array, size, i) + 2]++;
	for (uint32_t k = 2; k < keys + 2; k++)
		start[k] += start[k - 1];
	for (uint32_t i = 0; i < count; i++)
		(*order)[start[key_at(array, size, i) + 1]++] = i;
	return 0;
}

/* Tables of numbers; the search is inline in the header. */
#define FIRST_SLOTS UINT32_C(64)
#define MOST_SLOTS  (UINT32_C(1) << 31)

void number_table_add(struct number_table *t, uint32_t hash, uint32_t number)
{
	uint32_t at = hash & (t->slots - 1);

	while (t->slot[at].number != NUMBER_TABLE_FREE)
		at = (at + 1) & (t->slots - 1);
	t->slot[at] = (struct number_slot){number, hash};
}

int number_table_reserve(struct number_table *t, uint32_t numbers)
{
	struct number_table grown = {.slots = t->slots ? t->slots : FIRST_SLOTS};

	while (grown.slots / 2 < numbers && grown.slots < MOST_SLOTS)
		grown.slots *= 2;
	if (grown.slots / 2 < numbers)
		return -1;
	if (grown.slots == t->slots)
		return 0;
	grown.slot = array_alloc((size_t)grown.slots * sizeof(*grown.slot));
	if (!grown.slot)
		return -1;
	memset(grown.slot, 0xff, (size_t)grown.slots * sizeof(*grown.slot)); /* free */
	for (uint32_t i = 0; i < t->slots; i++)
		if (t->slot[i].number != NUMBER_TABLE_FREE)
			number_table_add(&grown, t->slot[i].hash, t->slot[i].number);
	free(t->slot);
	*t = grown;
	return 0;
}

void number_table_clear(struct number_table *t)
{
	free(t->slot);
	*t = (struct number_table){0};
}
