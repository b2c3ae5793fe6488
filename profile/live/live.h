// SPDX-License-Identifier: GPL-3.0-or-later
/* One profile file that is being written, read again and again: once its model is known
 * (profile_add_placed), 192 bytes an entry are read instead of the whole file, and 384 more of
 * those with switched calls. Reads only, with pread, never through a mapping: nothing that the
 * target could notice, and a file that somebody cuts short does not kill us. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/read/entry_offsets.h"

/* Where the counts of a file's entries lie, and what they are now. Reading a live file as
 * profile_add does (three copies, all checked) takes milliseconds; whoever wants the counts many
 * times a second looks for new entries now and then and reads eight bytes an entry. Nothing is
 * trusted: what does not fit is not listed. One thread looks; entry_watch_calls may be called by
 * others for entries that they were told of. */

struct watch_entry {
	uint32_t table, id; /* in the file; they never change */
	uint64_t at;	    /* of its count, in the file */
};

/* A BATCH block of the main clock, a PHASE or HIST block, or STATES, of an entry. */
struct watch_block {
	uint32_t table, id, type;
	uint32_t sub; /* of a HIST block its number */
	uint64_t at;  /* of the record, in the file */
};

struct watch {
	int fd;
	uint32_t pid;		   /* of the process; 0: the file has no header yet */
	struct watch_entry *entry; /* in the order in which they were found */
	struct watch_block *block;
	struct watch_chunk *chunk;
	uint32_t entries, blocks, chunks;
};

/* 0, or -1 with errno: it cannot be opened, or is no regular file. */
int entry_watch_open(struct watch *w, const char *path);
void entry_watch_close(struct watch *w);

/* Find entries, and blocks of batches, phases, histograms and states, that are new. 0; -1: no
 * memory. */
int entry_watch_look(struct watch *w);

/* Bytes of the file; false: they cannot be read. */
bool entry_watch_read(int fd, void *to, size_t bytes, uint64_t at);

/* Calls so far; UINT64_MAX: cannot be read. */
uint64_t entry_watch_calls(int fd, uint64_t at);

/* Of that what tells where the time went, as in struct prof_states. */
struct prof_reading_states {
	uint32_t detector; /* NONE: there is no record */
	uint64_t from_calls, from_units, calls, units, switched_weighted;
	uint64_t known, weighted, runnable_ns, asleep_ns; /* of struct scp_off_cpu */
};

/* The sums of one entry at one moment; what a window needs of them. */
struct prof_reading {
	uint64_t calls, units, bytes, inner_calls;
	prof_u128 units_sq, bytes_sq;
	uint64_t min_units, max_units;
	uint32_t batch_count;
	uint64_t batch_calls;
	bool has_bytes;
	struct prof_reading_states states;
};

struct live {
	struct watch watch;
	struct prof_places places; /* of the model that was made of the file */
	uint32_t blocks_known;	   /* of the watch's, that are in `places` */
};

/* Add `path` to the model: a file that is open (the descriptor stays the caller's), or (-1) that is
 * opened. 0, or -1 and *err with nothing to close. */
int live_open(struct live *l, struct profile *p, const char *path, int fd,
	      struct profile_error *err);
void live_close(struct live *l);

/* Look for what is new. *grown: there are entries that the model lacks. -1: no memory. */
int live_look(struct live *l, bool *grown);

/* The header as it is now, its anchors from one moment. -1: it cannot be read any more. */
int live_header(const struct live *l, struct scp_header *h);

/* Sums of place i: consistent, or the last even ones where the writer is too fast for us.
 * -1: they cannot be read. `last`, the reading before, lets an entry without a new call cost
 * one read; NULL: none. */
int live_read(const struct live *l, uint32_t i, const struct prof_reading *last,
	      struct prof_reading *out);

/* The batches of place i that were complete at `r`: out->sum has room for SCP_BATCHES. out->count
 * is 0 where there are none, or where they moved on too fast. */
void live_batches(const struct live *l, uint32_t i, const struct prof_reading *r,
		  struct prof_batches *out);

/* Where in the tick the calls of place i began, as it is now: some may be younger than any
 * reading. False: not sampled, or not yet. */
bool live_phases(const struct live *l, uint32_t i, struct prof_phase *out);

/* The histogram of the calls of place i, as it is now, likewise; its counts are in *room. False:
 * none. That of an entry's first few calls is not looked for. */
bool live_hist(const struct live *l, uint32_t i, struct prof_hist *room, struct prof_blocks *out);

/* *out becomes the calls after `before` and up to `now`, exactly. Two things cannot be known of
 * them: min and max are those of all calls, which bound theirs. -1, and *out is as it was: `before`
 * is not from earlier in the same entry's life (a damaged file). States of several detectors have
 * no difference: out->states.detector is NONE then, though that of `now` is not. */
int live_difference(const struct prof_reading *now, const struct prof_reading *before,
		    struct prof_reading *out);

/* *to += *from, but for batches and states: the sums of several entries. */
void live_add(struct prof_reading *to, const struct prof_reading *from);

/* Of an entry's `count` batches of `calls` calls each, oldest first: the index of the first whose
 * calls all came after the first `before` calls. */
uint32_t live_first_batch(uint64_t calls, uint32_t count, uint64_t before);
