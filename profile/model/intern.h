// SPDX-License-Identifier: GPL-3.0-or-later
/* The private part of a model: hash tables by which equal modules and functions become one, room in
 * its arrays, and the clock as the files had it. Private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_INTERN_H
#define SCPROF_PROFILE_MODEL_INTERN_H

#include "profile/base/array.h"
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
	MODEL_LOOK,
	MODEL_SITE_COST,
	MODEL_ACCOUNT,
	MODEL_SOURCE_FUNCTION,
	MODEL_SOURCE_LINE,
	MODEL_GENERATED,
	MODEL_ARRAYS
};

struct profile_index {
	struct intern_node *module, *function; /* uthash heads */
	struct intern_paths *paths;
	struct source_index *source;
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

/* Index in the model of an equal module or function, which is added if it is new. PROF_NONE: out of
 * memory. PROF_NO_MODULE: no number is left for a new module. */
uint32_t intern_module(struct profile *p, const char *path, const uint8_t *build_id,
		       uint32_t build_id_bytes);
uint32_t intern_function(struct profile *p, const char *name, const char *library, uint32_t group);

/* Forget modules, functions and paths beyond these counts. */
void intern_rollback(struct profile *p, uint32_t modules, uint32_t functions, uint32_t paths);

#endif
