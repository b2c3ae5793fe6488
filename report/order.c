// SPDX-License-Identifier: GPL-3.0-or-later
/* Quicksort; where its pivots fail, a heap, so that no profile can make it slow. */
#include "order.h"

#include <stdbool.h>

#define MANTISSA 26
#define SMALL	 12 /* items that are inserted one by one */

struct sorting {
	struct order_item *item;
	order_compare *compare;
	const void *context;
};

uint32_t order_code(uint64_t number)
{
	uint32_t exponent;

	if (number < UINT64_C(1) << MANTISSA)
		return (uint32_t)number;
	exponent = 63 - (uint32_t)__builtin_clzll(number);
	return (exponent - MANTISSA + 1) << MANTISSA |
	       ((uint32_t)(number >> (exponent - MANTISSA)) & ((1u << MANTISSA) - 1));
}

static bool before(const struct sorting *s, const struct order_item *a, const struct order_item *b)
{
	int c;

	if (a->key != b->key)
		return a->key < b->key;
	if (a->minor != b->minor)
		return a->minor < b->minor;
	c = s->compare(a->row, b->row, s->context);
	return c ? c < 0 : a->row < b->row;
}

static void swap(struct order_item *a, struct order_item *b)
{
	struct order_item kept = *a;

	*a = *b;
	*b = kept;
}

static void insert_all(const struct sorting *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++) {
		struct order_item moving = s->item[i];
		uint32_t at = i;

		for (; at > from && before(s, &moving, &s->item[at - 1]); at--)
			s->item[at] = s->item[at - 1];
		s->item[at] = moving;
	}
}

static void sift_down(const struct sorting *s, struct order_item *heap, uint32_t root,
		      uint32_t count)
{
	for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
		if (child + 1 < count && before(s, &heap[child], &heap[child + 1]))
			child++;
		if (!before(s, &heap[root], &heap[child]))
			return;
		swap(&heap[root], &heap[child]);
	}
}

static void sort_heap(const struct sorting *s, uint32_t from, uint32_t to)
{
	struct order_item *heap = s->item + from;
	uint32_t count = to - from;

	for (uint32_t i = count / 2; i-- > 0;)
		sift_down(s, heap, i, count);
	while (count-- > 1) {
		swap(&heap[0], &heap[count]);
		sift_down(s, heap, 0, count);
	}
}

/* The middle one of three comes to `from`. */
static void choose_pivot(const struct sorting *s, uint32_t from, uint32_t to)
{
	struct order_item *a = &s->item[from], *b = &s->item[from + (to - from) / 2];
	struct order_item *c = &s->item[to - 1];

	if (before(s, b, a))
		swap(a, b);
	if (before(s, c, b))
		swap(b, c);
	if (before(s, b, a))
		swap(a, b);
	swap(a, b);
}

/* Where the pivot comes to lie. No two items are equal. */
static uint32_t part(const struct sorting *s, uint32_t from, uint32_t to)
{
	struct order_item pivot = s->item[from];
	uint32_t low = from, high = to;

	for (;;) {
		while (++low < to && before(s, &s->item[low], &pivot))
			;
		while (before(s, &pivot, &s->item[--high]))
			;
		if (low >= high)
			break;
		swap(&s->item[low], &s->item[high]);
	}
	swap(&s->item[from], &s->item[high]);
	return high;
}

static void sort_part(const struct sorting *s, uint32_t from, uint32_t to, unsigned depth)
{
	while (to - from > SMALL) {
		uint32_t middle;

		if (depth-- == 0) {
			sort_heap(s, from, to);
			return;
		}
		choose_pivot(s, from, to);
		middle = part(s, from, to);
		/* The smaller part first: the stack stays small. */
		if (middle - from < to - middle - 1) {
			sort_part(s, from, middle, depth);
			from = middle + 1;
		} else {
			sort_part(s, middle + 1, to, depth);
			to = middle;
		}
	}
	insert_all(s, from, to);
}

void order_sort(struct order_item *item, uint32_t count, order_compare *compare,
		const void *context)
{
	struct sorting s = {item, compare, context};
	unsigned depth = 2;

	for (uint32_t n = count; n; n /= 2)
		depth += 2;
	if (count)
		sort_part(&s, 0, count, depth);
}
