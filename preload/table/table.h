// SPDX-License-Identifier: Apache-2.0
/* Records of a thread's table: paths, entries, gaps and what hangs on them. Every function is for
 * the owning thread alone, with its bookkeeping marked as under way (thread.open bit 0), and
 * returns NULL or false where there is no room. */
#pragma once

#include "preload/system/sys.h"
#include "preload/table/sums.h"
#include "preload/table/thread.h"

/* A zeroed record of `bytes`, rounded up, of type SCP_REC_*, at the end of the table; NULL: there
 * is no room. It counts only once it is published, and no other may begin before. */
HIDDEN void *record_begin(struct scp_thread *t, uint32_t type, uint64_t bytes);

/* The same in `c`, which holds optional chunks of this type; it is to be published there. */
HIDDEN void *record_begin_optional(struct scp_thread *t, struct file_chunk *c, uint32_t chunk_type,
				   uint32_t type, uint64_t bytes);

/* A record of what belongs to an entry, whose number comes first in all of these: in `c` as above,
 * or (NULL) in the table. Where there is no room that is counted. */
HIDDEN void *record_begin_of(struct scp_thread *t, const struct scp_rt *rt, struct file_chunk *c,
			     uint32_t chunk_type, uint32_t type, uint64_t bytes);

/* The record that was begun last is complete. */
HIDDEN void record_publish(struct scp_thread *t);

/* What the indexes of a table share: hash tables in the thread's private memory. */

#define BUCKETS_FIRST 256u

/* Doubling an index is long: handlers that leave by longjmp at short intervals would
 * have it begin again each time, in ever more memory. */
static inline bool index_grow(struct scp_thread *t, bool (*grow)(struct scp_thread *))
{
	uint64_t signals;
	sys_hold_signals(&signals);
	bool grown = grow(t);
	sys_release_signals(&signals);
	return grown;
}

HIDDEN bool table_create(struct scp_thread *t);

/* A new owner: its time begins at t->last_at. */
HIDDEN void table_begin_owner(struct scp_thread *t);

/* The entry of a site's calls with that outcome, made if need be. */
HIDDEN struct scp_rt *table_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
				  bool bytes, uint64_t first_at);

/* Add a gap from t->previous to `to` (NULL: the end of the thread). */
HIDDEN void table_add_gap(struct scp_thread *t, struct scp_rt *to, uint64_t units);

/* Make rt->more, if it is not there; no room is counted. */
HIDDEN bool table_more(struct scp_thread *t, struct scp_rt *rt);

/* Make histogram block `block` of an entry. */
HIDDEN struct scp_hist *table_histogram(struct scp_thread *t, struct scp_rt *rt, uint32_t block);

/* Block `block`, if that is the usual one: its address is kept with the number in its low bits, so
 * that one word says both. Else something that is not aligned, or NULL. */
static inline uintptr_t table_usual(const struct scp_rt *rt, uint32_t block)
{
	return rt->usual ^ block;
}

static inline bool table_is_usual(uintptr_t usual)
{
	_Static_assert(_Alignof(struct scp_hist) == SCP_HIST_BLOCKS, "room for the number");
	return !(usual & (SCP_HIST_BLOCKS - 1));
}

/* Where an entry's calls of so many units are counted; NULL: there is no room. */
static inline uint64_t *table_count(struct scp_thread *t, struct scp_rt *rt, uint64_t units)
{
	uint32_t bucket = sums_bucket(units), block = bucket / SCP_HIST_BUCKETS;
	struct scp_hist *h = rt->more ? rt->more->hist[block] : NULL;
	if (unlikely(!h) && !(h = table_histogram(t, rt, block)))
		return NULL;
	rt->usual = (uintptr_t)h | block;
	return &h->count[bucket % SCP_HIST_BUCKETS];
}

/* What is kept of an entry batch by batch: sums of units on both clocks (struct
 * scp_batch) and for the line of time on size (struct scp_line). Batches are rare, so
 * nothing of this is on the hot path but the comparison that leads here. */

#define LINE_EARLY 3u /* batches that are kept in private memory, before a line record is made */

/* The sums for the line over the calls of one batch, or of several. */
struct line_sums {
	uint64_t bytes;
	unsigned __int128 bytes_sq, bytes_units;
};

/* An entry's calls have reached its batch_end, and its sums are being changed by the
 * owner of `t`: note the first call, or close the present batch. */
HIDDEN void batch_close(struct scp_thread *t, struct scp_rt *rt);

/* Most entries have a few calls only: the durations of those are kept one by one (struct
 * scp_first_calls), in a ninth of the room of a histogram. */

/* An entry that has 1 to SCP_FIRST_CALLS calls, which is `calls`, is going to have one more, of
 * `units`. Of the call after these the histogram begins, with all that were before it. A handler
 * may leave this by longjmp and have it done again. */
HIDDEN void first_calls_add(struct scp_thread *t, struct scp_rt *rt, uint64_t calls,
			    uint64_t units);

/* The batches that are made of them, of two calls each. */
#define FIRST_CALLS_BATCHES (SCP_FIRST_CALLS / 2)
static inline uint64_t first_calls_batch(const struct scp_first_calls *f, uint32_t batch)
{
	return f->units[2 * batch] + f->units[2 * batch + 1];
}

/* An entry's calls by octaves of their duration, batch by batch (struct scp_tail): how long calls
 * follow each other. All of it happens where a batch closes. */

/* The record is large, so it begins with batches of so many calls: after 512. */
#define TAIL_BATCH_CALLS 16u

/* Batch `slot` of an entry that has a record has closed; its last call is in the histogram. */
HIDDEN void tail_close(struct scp_rt *rt, uint32_t slot);

/* The entry's batches have been merged in pairs. */
HIDDEN void tail_double(struct scp_thread *t, struct scp_rt *rt);

/* Calls that were switched, in the profile: struct scp_states and what belongs to it. Such calls
 * are few, so all of it is off the hot path. */

/* Fewer batches say nothing about dependence (mean_interval.c), and take no record. */
#define STATES_EARLY_SLOTS 8u
#define STATE_SUMS	   6u

/* Of an entry; in the table's index. The records are in the file, so what an address or a count
 * depends on is kept here. */
struct entry_states {
	struct scp_states *record;
	struct scp_state_batches *batches; /* NULL: not begun */
	struct scp_hist *hist[SCP_STATE_HISTS][SCP_HIST_BLOCKS];
	struct state_sums {
		uint64_t sum[STATE_SUMS]; /* as the arrays of struct scp_state_batches */
	} batched;			  /* of all slots */
	struct state_sums early[STATES_EARLY_SLOTS];
	bool lost; /* no room for batches */
};

/* The table's record, where states are recorded at all: once a table. */
HIDDEN void states_begin_table(struct scp_thread *t);

/* What the thread's switches added up to so far. */
HIDDEN void states_refresh_table(struct scp_thread *t);

/* A gap of so many units was switched. */
HIDDEN void states_add_gap(struct scp_thread *t, uint64_t units, const struct switch_sums *off);

/* So was a top-level call of `units`, `gap` after the one before: to the table's sums. Returns
 * `off` with what is the call's; NULL: nothing is. The rest is the gap's. */
HIDDEN const struct switch_sums *states_add_top(struct scp_thread *t, uint64_t gap, uint64_t units,
						struct switch_sums *off);

/* A call was switched; or without a detector it was asked, and off->mark.count says whether it was.
 * The entry's sums are being changed, and have the call already. */
HIDDEN void states_add(struct scp_thread *t, struct scp_rt *rt, uint64_t units,
		       const struct switch_sums *off);

/* batch.c: batch `slot` closes; pairs of batches become one. */
HIDDEN void states_close_batch(struct scp_thread *t, struct scp_rt *rt, uint32_t slot);
HIDDEN void states_merge_pairs(struct scp_rt *rt);

/* Where the shortest calls are counted, if that is in the usual block; else any address. */
static inline const void *table_usual_count(const struct scp_rt *rt)
{
	uint32_t bucket = sums_bucket(rt->least);
	return (const void *)(table_usual(rt, bucket / SCP_HIST_BUCKETS) +
			      offsetof(struct scp_hist, count[0]) +
			      bucket % SCP_HIST_BUCKETS * sizeof(uint64_t));
}

/* What the end of a call at this site adds to, most often: fetched at once, instead of one after
 * another. */
static inline void table_prefetch(const struct scp_thread *t, const struct scp_site *s)
{
	const struct scp_rt *rt = s->rt[SCP_COMPLETED];
	const struct scp_rt_next *next = t->previous->gap;
	__builtin_prefetch((const uint8_t *)rt + 64);
	__builtin_prefetch(next[next->to != rt].gap, 1);
	__builtin_prefetch(rt->entry, 1);
	__builtin_prefetch((const uint8_t *)rt->entry + 64, 1);
	__builtin_prefetch(table_usual_count(rt), 1);
}
