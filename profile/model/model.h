// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of a model and its private index; private to profile/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/array.h"
#include "profile/model/clocks.h"
#include "profile/profile.h"

/* The arrays of a model: those of which equal elements are one (intern.c), those that fold.c
 * numbers anew, in its order, and others. */
enum model_array {
	MODEL_MODULE,
	MODEL_FUNCTION,
	MODEL_SOURCE_FUNCTION,
	MODEL_SOURCE_LINE,
	MODEL_GENERATED,
	MODEL_INTERNED, /* how many are so */
	MODEL_PROCESS = MODEL_INTERNED,
	MODEL_TABLE,
	MODEL_ENTRY,
	MODEL_GAP,
	MODEL_LOOK,
	MODEL_SLOWEST,
	MODEL_SITE_COST,
	MODEL_SAMPLE,
	MODEL_FOLDED, /* the end of those */
	MODEL_PATH = MODEL_FOLDED,
	MODEL_ACCOUNT,
	MODEL_PATH_DIFFERENCE,
	MODEL_ARRAYS
};

/* The private part of a model: hash tables by which equal modules and functions become one, room in
 * its arrays, and the clock as the files had it. */

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

/* One more element, zeroed; NULL when out of memory. */
void *model_add(struct profile *p, enum model_array kind);

/* Room for so many more at once, in huge pages, where there is memory for that. */
void model_expect(struct profile *p, enum model_array kind, uint32_t more);

size_t model_bytes(enum model_array kind); /* of an element */
uint32_t *model_count(const struct profile *p, enum model_array kind);
void *model_element(const struct profile *p, enum model_array kind, uint32_t index);

uint32_t intern_function(struct profile *p, const char *name, const char *library, uint32_t group);

/* Forget what is of an index `from` or above, and free it. From 0 the table's memory goes, too. */
void intern_forget(struct profile *p, enum model_array kind, uint32_t from);

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
	uint32_t count[MODEL_ARRAYS];
};

struct profile_size profile_size(const struct profile *p);

/* Frees the strings of a struct prof_process. */
void model_clear_process(void *process);

/* Free all beyond that size, which was the model's. */
void profile_shrink(struct profile *p, const struct profile_size *size);

/* What was left out on purpose: add that of one more file, whose header is sound. To be called
 * while the model does not have its flags, nor its clock, yet. */
void filters_add(struct profile *p, const struct scp_header *h);

/* What the processes used while they were recorded: add a file's. What contradicts itself, or is
 * too much to add, is not known. */
void usage_add(struct profile *p, const struct scp_header *h);
