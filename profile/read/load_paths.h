// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths of a checked file become those of the model; private to profile/. */
#ifndef SCPROF_PROFILE_READ_LOAD_PATHS_H
#define SCPROF_PROFILE_READ_LOAD_PATHS_H

#include "profile/read/raw.h"

#define LOAD_PATHS_AHEAD 16 /* paths that may be prepared: until the memory has answered */

struct load_paths {
	struct profile *p;
	const struct raw_file *raw;
	uint32_t *map;		/* position in the raw list -> index in the model, or PROF_NONE */
	const uint32_t *line;	/* the same of SOURCE_LINE records */
	const uint16_t *module; /* id -> index in the model */
	struct load_paths_ready {
		uint32_t hash;
		struct prof_frame frame[SCP_MAX_FRAMES];
	} ready[LOAD_PATHS_AHEAD + 2]; /* in turn; the last one is for what is added at once */
	uint32_t next;
};

/* Put the path's frames together, and fetch the memory in which an equal path is looked for. To be
 * added in the same order, the first before the last of LOAD_PATHS_AHEAD more is prepared. */
void load_paths_prepare(struct load_paths *l, uint32_t i);

/* Its index in the model; PROF_NONE: out of memory. What the record took goes back. */
uint32_t load_paths_add(struct load_paths *l, uint32_t i);

/* Where libunwind walked another way: the first SCP_PATH_DIFFERENCES_MAX of all files. -1: out of
 * memory. */
int load_paths_differences(struct profile *p, const struct raw_file *raw);

#endif
