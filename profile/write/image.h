// SPDX-License-Identifier: GPL-3.0-or-later
/* A profile file under construction, and what is written into it; private to profile/. */
#pragma once

#include "profile/profile.h"

struct image {
	int fd;	       /* the file, empty at the beginning */
	uint64_t used; /* bytes of it, of which those from `start` on are in `piece` */
	uint64_t start, room;
	uint8_t *piece;
	struct scp_chunk chunk; /* the latest one */
	uint64_t chunk_at;
	uint32_t table; /* that records are of from now on; 0: of none */
	int error;	/* an errno: nothing more is added */
};

/* Starts with room for the header, and the chunk of the process. `fd` stays the caller's. */
void image_begin(struct image *img, int fd);

/* Everything is in the file, the header with its region, too. 0, or -1 with errno. */
int image_end(struct image *img, struct scp_header *header);

/* A zeroed record of `bytes`, rounded up, with its header filled: in the latest chunk, or in a new
 * one, where that is of another type or table, or optional and without room (one granule). It is
 * valid until the next call. NULL where it has failed. */
void *image_record(struct image *img, uint32_t type, uint64_t bytes);

/* Adds a copy of a whole record, whose header is filled. */
void image_copy(struct image *img, uint32_t type, const void *record, uint64_t bytes);

static inline void image_split(prof_u128 v, uint64_t *low, uint64_t *high)
{
	*low = (uint64_t)v;
	*high = (uint64_t)(v >> 64);
}

/* Sums into an entry's record and the blocks behind it. `r` is the latest record of `img`, with its
 * id, path, function and outcome; it is not to be used afterwards. */
void write_sums(struct image *img, struct scp_entry *r, const struct prof_sums *s);

/* Switched calls as optional chunks, of a table (as img->table) and of its entries: `entry` are
 * their indices, in the order of their ids, which are 1 to `entries`. */
void write_states(struct image *img, const struct profile *p, uint32_t table, const uint32_t *entry,
		  uint32_t entries);

/* Call paths into a file under construction. */

struct write_paths {
	const struct profile *p;
	uint32_t *id;	 /* in the table being written, by index in the model... */
	uint32_t *stamp; /* ...valid where this is the table's id */
	uint32_t table, paths;
	const struct prof_path *last; /* that was written in the table */
};

/* 0, or -1: out of memory. To be ended in any case. */
int write_paths_begin(struct write_paths *w, const struct profile *p);
void write_paths_end(struct write_paths *w);

/* What follows is of the table `id`. */
void write_paths_begin_table(struct write_paths *w, uint32_t id);

/* The number of a path in the table; its record is written where there is none yet. */
uint32_t write_paths_put(struct write_paths *w, struct image *img, uint32_t index);

/* The samples of all processes, in optional chunks. */
void write_samples(struct image *img, const struct profile *p);

void write_paths_differences(struct image *img, const struct profile *p);

/* The cost of the call site of the model's entry `index`, whose record has the number `id`, if it
 * has one. */
void write_displacement_site(struct image *img, uint32_t id, const struct profile *p,
			     uint32_t index);

/* The accounts of the CPUs' time, in optional chunks. */
void write_displacement_accounts(struct image *img, const struct profile *p);

/* Source code: ids are indices in the model, from 1. */
void write_source(struct image *img, const struct profile *p);

/* Calls that passed through, of all tables. */
void write_look(struct image *img, const struct profile *p);

/* The slowest calls. entry_id: of each entry in its table. */
void write_slowest(struct image *img, const struct profile *p, const uint32_t *entry_id);

/* Calls by octaves, batch by batch: one chunk for each entry that has them. */
void write_tails(struct image *img, const struct profile *p, const uint32_t *entry_id);

/* What was seen of the ends of processes, and how the tool went to those that ran. */
void write_ends(struct image *img, const struct profile *p);
void write_attached(struct image *img, const struct profile *p);
