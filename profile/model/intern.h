// SPDX-License-Identifier: GPL-3.0-or-later
/* The model's private side: hashes that make equal things one thing, growing
 * arrays, and the clock as the files had it. */
#ifndef SCPROF_PROFILE_MODEL_INTERN_H
#define SCPROF_PROFILE_MODEL_INTERN_H

#include "profile/model/overhead.h"
#include "profile/profile.h"

struct intern_node;

enum model_array {
	MODEL_PROCESS,
	MODEL_TABLE,
	MODEL_MODULE,
	MODEL_PATH,
	MODEL_FUNCTION,
	MODEL_ENTRY,
	MODEL_GAP,
	MODEL_SLOWEST,
	MODEL_SITE_COST,
	MODEL_ACCOUNT,
	MODEL_ARRAYS
};

struct profile_index {
	struct intern_node *module, *function; /* uthash heads */
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

/* Room for one more element: the array, perhaps moved, or NULL. It is
 * zero. Use: grown = intern_room(p->entry, &room, p->entries, sizeof *p->entry). */
void *intern_room(void *array, uint32_t *room, uint32_t count, size_t size);

/* Room for so many more, at once and in huge pages: the array, perhaps moved. As it was where
 * there is no memory for it. */
void *intern_expect(void *array, uint32_t *room, uint32_t count, uint32_t more, size_t size);

/* Index in the model of an equal module, function or path, which is added if it
 * is new. PROF_NONE: out of memory. PROF_NO_MODULE: there is no number left for a new one.
 * `frame` is copied. */
uint32_t intern_module(struct profile *p, const char *path, const uint8_t *build_id,
		       uint32_t build_id_bytes);
uint32_t intern_function(struct profile *p, const char *name, const char *library, uint32_t group);
uint32_t intern_paths_path(struct profile *p, const struct prof_frame *frame, uint32_t frames,
			   uint32_t flags);

/* The same path in two steps, for who has many: between them the memory is fetched in which
 * its equal is looked for. */
uint32_t intern_paths_hash_path(const struct profile *p, const struct prof_frame *frame,
				uint32_t frames, uint32_t flags);
uint32_t intern_paths_hashed_path(struct profile *p, const struct prof_frame *frame,
				  uint32_t frames, uint32_t flags, uint32_t hash);

/* So many more paths may come: make room for them at once. -1: out of memory. */
int intern_paths_expect_paths(struct profile *p, uint32_t more);

/* No more paths are expected: what finds equal ones goes, and is made again when needed. */
void intern_paths_rest_paths(struct profile *p);

/* The private part of the paths, for profile_free. */
void intern_paths_free_paths(struct profile *p);
void intern_paths_forget_paths(struct profile *p, uint32_t from);

/* Forget what was interned beyond these counts. */
void intern_rollback(struct profile *p, uint32_t modules, uint32_t functions, uint32_t paths);

#endif
