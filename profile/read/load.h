// SPDX-License-Identifier: GPL-3.0-or-later
/* From a checked file into the model; private to profile/. */
#pragma once

#include "profile/read/raw.h"

struct load {
	struct profile *p;
	const struct raw_file *raw;
	uint32_t *map[RAW_TYPES]; /* position in the raw list -> index in the model, or PROF_NONE */
	uint32_t process;	  /* of a plain file */
	uint16_t *module;	  /* id -> index in the model, PROF_NO_MODULE */
	uint32_t modules_lost;	  /* that the model had no number for */
	uint32_t torn;
	uint32_t runs; /* the highest number in the model before this file */
};

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

/* Record i of the raw list of a type. */
static inline void *load_record(const struct load *l, uint32_t type, uint32_t i)
{
	return raw_record(l->raw, &l->raw->list[type].ref[i]);
}

/* The index in the model of path i; PROF_NONE: out of memory. */
uint32_t load_paths_add(struct load *l, uint32_t i);

/* What follows puts record i of its type into the model. -1: out of memory. What the record names
 * is there. */

/* What the processes computed, and how that was sampled. */
int load_sample(struct load *l, uint32_t i);
int load_sampling(struct load *l, uint32_t i);

/* Where libunwind walked another way: the first SCP_PATH_DIFFERENCES_MAX of all files. */
int load_path_difference(struct load *l, uint32_t i);

/* Functions and lines of interpreted languages, and names of generated code. */
int load_source_function(struct load *l, uint32_t i);
int load_source_line(struct load *l, uint32_t i);
int load_generated(struct load *l, uint32_t i);

/* The slowest calls, and calls that passed through. */
int load_slow_call(struct load *l, uint32_t i);
int load_look(struct load *l, uint32_t i);

/* An account of the CPUs' time, unless the model has it: a run is measured once. */
int load_account(struct load *l, uint32_t i);

/* The index in the model of a record that exists. */
static inline uint32_t load_index(const struct load *l, uint32_t type, uint32_t table, uint32_t id)
{
	return l->map[type][raw_find(&l->raw->list[type], table, id, 0)];
}

/* The cost of the call site of `entry`, if the file has one: of the model's entry `index`.
 * -1: out of memory. */
int load_displacement_site(struct profile *p, const struct raw_file *raw,
			   const struct raw_ref *entry, uint32_t index);
