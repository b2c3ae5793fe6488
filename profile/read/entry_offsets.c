// SPDX-License-Identifier: GPL-3.0-or-later
/* The reader's lists know where records lie until the file is closed: keep what live
 * reading needs of that. */
#include "profile/read/entry_offsets.h"

#include <stdlib.h>

static uint64_t block_at(const struct raw_file *raw, uint32_t type, const struct raw_ref *entry)
{
	const struct raw_list *list = &raw->list[type];
	uint32_t i = raw_find(list, entry->table, entry->id, 0);

	return i == PROF_NONE ? 0 : (uint64_t)list->ref[i].at * SCP_RECORD_ALIGN;
}

int entry_offsets_note(struct prof_places *places, const struct raw_file *raw)
{
	const struct raw_list *entries = &raw->list[SCP_REC_ENTRY];

	places->place = calloc((size_t)entries->count + 1, sizeof(*places->place));
	if (!places->place)
		return -1;
	for (uint32_t i = 0; i < entries->count; i++) {
		const struct raw_ref *e = &entries->ref[i];

		places->place[i] = (struct prof_place){
			.table = e->table,
			.id = e->id,
			.entry_at = (uint64_t)e->at * SCP_RECORD_ALIGN,
			.batches_at = block_at(raw, SCP_REC_BATCH, e),
			.phases_at = block_at(raw, SCP_REC_PHASE, e),
			.states_at = block_at(raw, SCP_REC_STATES, e),
		};
	}
	places->places = entries->count;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct prof_place *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

struct prof_place *entry_offsets_find(const struct prof_places *places, uint32_t table, uint32_t id)
{
	const struct prof_place wanted = {.table = table, .id = id};

	return places->places ? bsearch(&wanted, places->place, places->places,
					sizeof(*places->place), compare)
			      : NULL;
}
