// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays that grow, with 32-bit numbers of elements, and memory for large ones in huge pages where
 * the kernel has them (MADV_HUGEPAGE): a report of a million call paths reads half a gigabyte in
 * random order, and without huge pages spends most of its time on address translation. An array is
 * a pointer that free() takes, and the number of elements that it has `room` for; both are zero at
 * first. Sizes are in bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_HUGE_PAGE ((size_t)2 << 20) /* of x86-64, and of AArch64 with pages of 4 KiB */

/* How numbers compare, as qsort has it: `ARRAY_ORDER(a, b) ?: ARRAY_ORDER(...)`. */
#define ARRAY_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Makes a function for qsort and bsearch of how elements *a and *b of a type compare. */
#define ARRAY_COMPARE(name, type, order)                                                           \
	static int name(const void *left, const void *right)                                       \
	{                                                                                          \
		type const *a = left;                                                              \
		type const *b = right;                                                             \
		return order;                                                                      \
	}

/* The same for qsort_r and array_order, of the elements whose indices in `elements` are compared.
 */
#define ARRAY_COMPARE_AT(name, type, order)                                                        \
	static int name(const void *left, const void *right, void *elements)                       \
	{                                                                                          \
		type const *a = (type const *)elements + *(const uint32_t *)left;                  \
		type const *b = (type const *)elements + *(const uint32_t *)right;                 \
		return order;                                                                      \
	}

/* By such a function. Of no elements, there may be no array. */
#define ARRAY_SORT(array, count, compare)                                                          \
	do {                                                                                       \
		if ((count) > 0)                                                                   \
			qsort(array, count, sizeof(*(array)), compare);                            \
	} while (0)

/* Orders numbers of 32 bits for qsort and bsearch, or what begins with one. */
int array_by_number(const void *left, const void *right);

/* As malloc; large memory begins at a multiple of ARRAY_HUGE_PAGE. */
void *array_alloc(size_t bytes);

/* A copy in memory of its own; NULL of NULL, and out of memory. */
void *array_copy(const void *from, size_t bytes);

/* Room to append one element to `count`: the array, perhaps moved, with that element zeroed and
 * those behind it untouched. NULL: out of memory, and the array is as it was. */
void *array_room(void *array, uint32_t *room, uint32_t count, size_t size);

/* One element more behind `count` of them, zeroed, or NULL: out of memory. It doubles the array
 * where `count` is a power of two, and needs no `room`. */
#define ARRAY_APPEND(array, count)                                                                 \
	({                                                                                         \
		void *appended = array_append(array, count, sizeof(*(array)));                     \
		appended ? &((array) = appended)[(count)++] : NULL;                                \
	})
void *array_append(void *array, size_t count, size_t size);

/* The same with a value for it. False: out of memory. */
#define ARRAY_PUT(array, count, ...)                                                               \
	({                                                                                         \
		__typeof__(array) added = ARRAY_APPEND(array, count);                              \
		if (added)                                                                         \
			*added = __VA_ARGS__;                                                      \
		added != NULL;                                                                     \
	})

/* Room for `more` elements behind `count` at once, in huge pages: the array, perhaps moved. Without
 * memory for that it returns the array as it was, and array_room reports the failure. */
void *array_expect(void *array, uint32_t *room, uint32_t count, uint32_t more, size_t size);

/* Room in `*array` for the element of index `number`; all new elements are filled with bytes
 * `fill`. False: out of memory, or the number is UINT32_MAX, and nothing has changed. */
bool array_reach(void **array, uint32_t *room, uint32_t number, size_t size, unsigned char fill);

/* Binary search in whatever is in order: makes `at` (a size_t) the first index below `count` that
 * `before`, an expression of `at`, does not hold for: it holds for all in front and for none
 * behind. `count`: it holds for all. */
#define BISECT(at, count, before)                                                                  \
	do {                                                                                       \
		size_t low_ = 0, high_ = (count);                                                  \
		while (low_ < high_) {                                                             \
			(at) = low_ + (high_ - low_) / 2;                                          \
			if (before)                                                                \
				low_ = (at) + 1;                                                   \
			else                                                                       \
				high_ = (at);                                                      \
		}                                                                                  \
		(at) = low_;                                                                       \
	} while (0)

/* The numbers 0 to count - 1 as qsort_r sorts them, which hands `context` on. free() it; NULL: out
 * of memory. */
uint32_t *array_order(uint32_t count, int (*compare)(const void *, const void *, void *),
		      void *context);

/* The numbers 0 to count - 1 by the key below `keys` that each element begins with, in order: those
 * of key k are (*order)[(*from)[k]] up to (*from)[k + 1]. free() both in any case. -1: out of
 * memory. */
int array_by_key(const void *array, uint32_t count, size_t size, uint32_t keys, uint32_t **order,
		 uint32_t **from);

/* A hash table of numbers (indices into an array of the caller's) with open addressing and linear
 * probing (Knuth, The Art of Computer Programming 3, section 6.4): 16 to 32 bytes a number, where a
 * general table takes 100. Each slot keeps the hash too, so that unequal elements are rarely looked
 * at, and growing computes no hash again. A zeroed table is empty. The lower bits of a hash choose
 * the slot. One thread at a time. */

#define NUMBER_TABLE_FREE UINT32_MAX /* no number: the slot is free */

struct number_slot {
	uint32_t number, hash;
};

struct number_table {
	struct number_slot *slot;
	uint32_t slots; /* a power of two, or 0; at most half of them are in use */
};

/* Room for so many numbers in all. 0, or -1: out of memory, and the table is as it was. */
int number_table_reserve(struct number_table *t, uint32_t numbers);

/* Add a number that is not in the table, and that it has room for. */
void number_table_add(struct number_table *t, uint32_t hash, uint32_t number);

/* Empty, its memory freed. */
void number_table_clear(struct number_table *t);

/* Does the element of that number equal the wanted one? */
typedef bool number_table_same(const void *context, const void *wanted, uint32_t number);

/* The slot of an equal element, or the free one where the caller may put it. The table has room for
 * one more. Inline, so that `same` is, too. */
static inline struct number_slot *number_table_find(const struct number_table *t, uint32_t hash,
						    number_table_same *same, const void *context,
						    const void *wanted)
{
	uint32_t mask = t->slots - 1, at = hash & mask;

	while (t->slot[at].number != NUMBER_TABLE_FREE &&
	       (t->slot[at].hash != hash || !same(context, wanted, t->slot[at].number)))
		at = (at + 1) & mask;
	return &t->slot[at];
}
