// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of a model and its private index; private to profile/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/array.h"
#include "profile/model/clocks.h"
#include "profile/profile.h"

/* The private part of a model: hash tables by which equal modules and functions become one, room in
 * its arrays, and the clock as the files had it. */

enum model_array {
	MODEL_PROCESS,
	MODEL_TABLE,
	MODEL_MODULE,
	MODEL_PATH,
	MODEL_FUNCTION,
	MODEL_ENTRY,
	MODEL_GAP,
	MODEL_SLOWEST,
	MODEL_LOOK,
	MODEL_SITE_COST,
	MODEL_ACCOUNT,
	MODEL_SOURCE_FUNCTION,
	MODEL_SOURCE_LINE,
	MODEL_GENERATED,
	MODEL_SAMPLE,
	MODEL_ARRAYS
};

struct profile_index {
	struct interned *interned;
	struct intern_paths *paths;
	uint32_t room[MODEL_ARRAYS];
	bool has_clock;
	struct scp_clock clock, slow; /* of the file with the longest span */
	struct overhead_sum overhead, slow_overhead;
	struct overhead_depth depth;
	uint8_t boot_id[16];
	uint32_t machine;
	uint32_t files; /* added so far */
};

/* Room for one more in an array of the model, zeroed; false when out of memory. */
#define INTERN_ROOM(p, array, count, kind)                                                         \
	({                                                                                         \
		void *grown_ = array_room((p)->array, &(p)->index->room[kind], (p)->count,         \
					  sizeof *(p)->array);                                     \
		if (grown_)                                                                        \
			(p)->array = grown_;                                                       \
		grown_ != NULL;                                                                    \
	})

enum intern_kind {
	INTERN_MODULE,
	INTERN_FUNCTION,
	INTERN_SOURCE_FUNCTION,
	INTERN_SOURCE_LINE,
	INTERN_GENERATED,
	INTERN_KINDS
};

uint32_t intern_module(struct profile *p, const char *path, const uint8_t *build_id,
		       uint32_t build_id_bytes);
uint32_t intern_function(struct profile *p, const char *name, const char *library, uint32_t group);

/* Forget what is of an index `from` or above, and free it. From 0 the table's memory goes, too. */
void intern_forget(struct profile *p, enum intern_kind kind, uint32_t from);

/* Equal call paths of all files and threads are one path of the model. */

/* Index in the model of an equal path, which is added if it is new; `frame` is copied. PROF_NONE:
 * out of memory. */
uint32_t intern_paths_add(struct profile *p, const struct prof_frame *frame, uint32_t frames,
			  uint32_t flags);

/* Make room for so many more paths at once. -1: out of memory. */
int intern_paths_expect(struct profile *p, uint32_t more);

/* No more paths are expected: the hash table goes, and is made again when needed. */
void intern_paths_rest(struct profile *p);

/* Paths from `from` on go. */
void intern_paths_forget(struct profile *p, uint32_t from);

/* All memory but p->path. */
void intern_paths_free(struct profile *p);

/* How large a model is, to go back to when what is added fails. */

struct profile_size {
	uint32_t processes, tables, modules, paths, functions, entries, gaps, slowests, site_costs,
		accounts, path_differences, looks, source_functions, source_lines, generateds,
		samples;
};

struct profile_size profile_size(const struct profile *p);

/* Frees the strings of a struct prof_process. */
void model_clear_process(void *process);

/* Free all beyond that size, which was the model's. */
void profile_shrink(struct profile *p, const struct profile_size *size);

/* What was left out on purpose, in a model. */

/* Add those of one more file, whose header is sound. To be called while the model does not have its
 * flags, nor its clock, yet. */
void filters_add(struct profile *p, const struct scp_header *h);

/* For a merged file. */
void filters_store(const struct profile *p, struct scp_header *h);

/* What the processes of a model used while they were recorded. */

/* Add a file's. What contradicts itself, or is too much to add, is not known. */
void usage_add(struct profile *p, const struct scp_header *h);
/* Into the header of a merged file. */
void usage_store(const struct profile *p, struct scp_header *h);

/* Accounts of the CPUs' time in a model (profile.h has the rest). */
