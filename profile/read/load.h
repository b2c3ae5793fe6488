// SPDX-License-Identifier: GPL-3.0-or-later
/* From a checked file into the model; private to profile/. */
#pragma once

#include "profile/read/raw.h"

/* Append all of `raw` to the model, or its samples alone where it is such a file. 0, or -1 when out
 * of memory: then the caller shrinks the model. Counters that add up (losses, overflow, ticker) are
 * touched only when all else has succeeded. */
int load_raw(struct profile *p, const struct raw_file *raw);

/* The sums of the entry at `entry` and of all that hangs on it, into cleared *out. 0, or
 * -1 when out of memory (*out is then to be cleared). */
int load_sums(const struct raw_file *raw, const struct raw_ref *entry, struct prof_sums *out);

/* The block of `type` that hangs on an entry, or on a process or table; or NULL. */
static inline const void *load_block(const struct raw_file *raw, uint32_t type,
				     const struct raw_ref *of, uint32_t sub)
{
	const struct raw_list *list = &raw->list[type];
	uint32_t i = raw_find(list, of->table, of->id, sub);

	return i == PROF_NONE ? NULL : raw_record(raw, &list->ref[i]);
}

static inline prof_u128 load_wide(uint64_t low, uint64_t high)
{
	return (prof_u128)high << 64 | low;
}

/* Cleared *out stays so where nothing is known of the table. */
void load_states_of_table(const struct raw_file *raw, const struct raw_ref *table,
			  struct prof_table_states *out);

struct load_paths {
	struct profile *p;
	const struct raw_file *raw;
	uint32_t *map;		/* position in the raw list -> index in the model, or PROF_NONE */
	const uint32_t *line;	/* the same of SOURCE_LINE records */
	const uint16_t *module; /* id -> index in the model */
};

/* Its index in the model; PROF_NONE: out of memory. */
uint32_t load_paths_add(struct load_paths *l, uint32_t i);

/* What the processes computed, by samples. -1: out of memory. */
int load_samples(struct load_paths *l, uint32_t *const *map);

/* Where libunwind walked another way: the first SCP_PATH_DIFFERENCES_MAX of all files. -1: out of
 * memory. */
int load_paths_differences(struct profile *p, const struct raw_file *raw);

/* Functions and lines of interpreted languages, and names of generated code. `map`, by type:
 * position in the raw list -> index in the model; those of functions and lines are filled. -1: out
 * of memory. */
int load_source(struct profile *p, const struct raw_file *raw, uint32_t *const *map);

/* The slowest calls, and calls that passed through, when what they name is loaded. -1: out of
 * memory. */
int load_slowest(struct profile *p, const struct raw_file *raw, uint32_t *const *map);
int load_look(struct profile *p, const struct raw_file *raw, uint32_t *const *map);

/* The index in the model of a record that exists. */
static inline uint32_t load_index(const struct raw_file *raw, uint32_t *const *map, uint32_t type,
				  uint32_t table, uint32_t id)
{
	return map[type][raw_find(&raw->list[type], table, id, 0)];
}

/* The cost of the call site of `entry`, if the file has one: of the model's entry `index`.
 * -1: out of memory. */
int load_displacement_site(struct profile *p, const struct raw_file *raw,
			   const struct raw_ref *entry, uint32_t index);

/* All accounts of the CPUs' time in a file, but those that the model has: a run is measured once.
 * -1: out of memory. */
int load_displacement_accounts(struct profile *p, const struct raw_file *raw);
