// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash table of numbers (indices into an array of the caller's) with open addressing and linear
 * probing (Knuth, The Art of Computer Programming 3, section 6.4): 16 to 32 bytes a number, where a
 * general table takes 100. Each slot keeps the hash too, so that unequal elements are rarely looked
 * at, and growing computes no hash again.
 *
 * A zeroed table is empty. The lower bits of a hash choose the slot. One thread at a time.
 */
#ifndef SCPROF_PROFILE_BASE_NUMBER_TABLE_H
#define SCPROF_PROFILE_BASE_NUMBER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
