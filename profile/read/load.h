// SPDX-License-Identifier: GPL-3.0-or-later
/* From a checked file into the model; private to profile/. */
#ifndef SCPROF_PROFILE_READ_LOAD_H
#define SCPROF_PROFILE_READ_LOAD_H

#include "profile/read/raw.h"

/* Append all of `raw` to the model. 0, or -1 when out of memory: then the
 * caller shrinks the model. Counters that add up (losses, overflow, ticker)
 * are touched only when all else has succeeded. */
int load_raw(struct profile *p, const struct raw_file *raw);

/* The sums of the entry at `entry` and of all that hangs on it, into cleared *out. 0, or
 * -1 when out of memory (*out is then to be cleared). */
int load_sums(const struct raw_file *raw, const struct raw_ref *entry, struct prof_sums *out);

/* The block of `type` that hangs on an entry, or NULL. */
static inline const void *load_block(const struct raw_file *raw, uint32_t type,
				     const struct raw_ref *entry, uint32_t sub)
{
	const struct raw_list *list = &raw->list[type];
	uint32_t i = raw_find(list, entry->table, entry->id, sub);

	return i == PROF_NONE ? NULL : raw_record(raw, &list->ref[i]);
}

static inline prof_u128 load_wide(uint64_t low, uint64_t high)
{
	return (prof_u128)high << 64 | low;
}

#endif
