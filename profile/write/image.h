// SPDX-License-Identifier: GPL-3.0-or-later
/* A profile file under construction in memory; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_IMAGE_H
#define SCPROF_PROFILE_WRITE_IMAGE_H

#include "profile/profile.h"

struct image {
	uint8_t *bytes;
	uint64_t used, room;
	uint64_t chunk; /* where the open chunk begins; 0: none */
	bool failed;	/* memory ran out: nothing more is added */
};

/* Starts with a zeroed header. */
void image_begin(struct image *img);
struct scp_header *image_header(const struct image *img);

void image_open_chunk(struct image *img, uint32_t type, uint32_t table);
/* Fills the chunk's sizes and pads it to SCP_GRANULE. */
void image_close_chunk(struct image *img);

/* A zeroed record of `bytes`, rounded up, with its header filled. It may move
 * at the next call. NULL when out of memory. */
void *image_record(struct image *img, uint32_t type, uint64_t bytes);

/* The same in an optional chunk, of one granule: in the open one, which is closed where it has no
 * room, or in a new one. What is open must be of that type and table. */
void *image_optional_record(struct image *img, uint32_t chunk_type, uint32_t table, uint32_t type,
			    uint64_t bytes);

static inline void image_split(prof_u128 v, uint64_t *low, uint64_t *high)
{
	*low = (uint64_t)v;
	*high = (uint64_t)(v >> 64);
}

#endif
