// SPDX-License-Identifier: GPL-3.0-or-later
/* Growing and filling a table; the search is inline in the header. */
#include "profile/base/number_table.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

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
