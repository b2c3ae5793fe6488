// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the entries of a model lie in the file that they came from, so that whoever knows what
 * an entry is can go on reading its sums while the file grows. */
#ifndef SCPROF_PROFILE_READ_ENTRY_OFFSETS_H
#define SCPROF_PROFILE_READ_ENTRY_OFFSETS_H

#include "profile/read/raw.h"

/* As the file has them; they never change. */
struct prof_place {
	uint32_t table, id;
	uint64_t entry_at;		   /* of the ENTRY record */
	uint64_t batches_at;		   /* of its BATCH block of the main clock; 0: none yet */
	uint64_t phases_at;		   /* of its PHASE block; likewise */
	uint64_t states_at;		   /* of its STATES record; likewise */
	uint64_t hist_at[SCP_HIST_BLOCKS]; /* of HIST blocks that live_look has found */
};

/* By (table, id), which is the model's order: entry `first + i` of it is place i. */
struct prof_places {
	struct prof_place *place;
	uint32_t places;
};

/* profile_add_unlinked that also says where each entry lies. free(places->place) after success. */
int profile_add_placed(struct profile *p, const char *path, struct prof_places *places,
		       struct profile_error *err);

/* The place of an entry; NULL: it is not among them. */
struct prof_place *entry_offsets_find(const struct prof_places *places, uint32_t table,
				      uint32_t id);

/* Private to profile/: of a file that has been loaded. -1: out of memory. */
int entry_offsets_note(struct prof_places *places, const struct raw_file *raw);

#endif
