// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the entries of a model lie in the file that they came from, so that whoever knows what
 * an entry is can go on reading its sums while the file grows. */
#pragma once

#include "profile/read/raw.h"

/* As the file has them; they never change. */
struct prof_place {
	uint32_t table, id, path, function;
	uint64_t entry_at; /* of the ENTRY record */
	/* These live_look finds; 0: there is none yet. Of its BATCH block of the main clock, its
	 * PHASE block, its STATES record and its HIST blocks. */
	uint64_t batches_at, phases_at, states_at;
	uint64_t hist_at[SCP_HIST_BLOCKS];
};

/* By (table, id), which is the model's order: entry `first + i` of it is place i. */
struct prof_places {
	struct prof_place *place;
	uint32_t places;
};

/* profile_add that also says where each entry lies; of a file that is open (the descriptor stays
 * the caller's), or (-1) of the path. free(places->place) after success. */
int profile_add_placed(struct profile *p, const char *path, int fd, struct prof_places *places,
		       struct profile_error *err);

/* The place of an entry; NULL: it is not among them. */
struct prof_place *entry_offsets_find(const struct prof_places *places, uint32_t table,
				      uint32_t id);
