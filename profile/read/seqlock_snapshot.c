// SPDX-License-Identifier: GPL-3.0-or-later
/* Bring the records of a live file to rest. An entry (with the blocks that hang on it), a gap, a
 * table's states or a slowest call is sound when its seq is even and two copies, one after the
 * other, are the same: then nothing changed between them. The whole file was copied twice in turn,
 * which settles all that stand still; what moved is copied again, one record at a time. Where the
 * writer is faster than we are, the last copy with an even seq is kept; where seq stays odd the
 * process was killed, stopped or kept from its CPU inside an update, and the whole file's copy is
 * kept. Either may be wrong by the one call that was being added, even if its own seq is even, for
 * the blocks may be later than their entry: an odd seq tells the model. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"

#define TRIES	   20  /* for one record */
#define FILE_WAITS 200 /* for all records of a file together */
#define WAIT_NS	   50000

struct settle {
	struct raw_file *raw;
	uint32_t waits;
};

/* Histogram, batches of two clocks, slow sums, phases, line, tail, first calls; states, their
 * batches and histograms. */
#define BLOCKS_MOST (SCP_HIST_BLOCKS + 7 + 2 + SCP_HIST_BLOCKS * SCP_STATE_HISTS)

/* What is copied again together: an entry and its blocks, or one record. */
struct group {
	const struct raw_ref *head;
	uint32_t seq_offset;
	uint32_t identity_bytes; /* fields at the front that never change */
	const struct raw_ref *block[BLOCKS_MOST];
	uint32_t blocks;
};

#define RECORD_MOST sizeof(struct scp_tail)

/* Of STATES the detector may change. */
static uint32_t block_identity(const struct scp_record *block)
{
	return block->type == SCP_REC_STATES ? offsetof(struct scp_states, detector)
					     : sizeof *block + 2 * sizeof(uint32_t);
}

static uint32_t bytes_of(const struct raw_file *raw, const struct raw_ref *ref)
{
	uint32_t bytes = ((const struct scp_record *)raw_record(raw, ref))->bytes;

	return bytes < RECORD_MOST ? bytes : RECORD_MOST;
}

static bool same_in_both(const struct raw_file *raw, const struct raw_ref *ref)
{
	uint64_t at = (uint64_t)ref->at * SCP_RECORD_ALIGN;
	uint32_t bytes = bytes_of(raw, ref);

	return at + bytes <= raw->earlier_bytes &&
	       memcmp(raw->earlier + at, raw->image + at, bytes) == 0;
}

static uint32_t seq_of(const void *record, const struct group *g)
{
	uint32_t seq;

	memcpy(&seq, (const uint8_t *)record + g->seq_offset, sizeof seq);
	return seq;
}

static uint32_t find_blocks(const struct raw_file *raw, uint32_t type, uint32_t most,
			    struct group *g)
{
	const struct raw_list *list = &raw->list[type];
	uint32_t before = g->blocks;

	for (uint32_t sub = 0; sub < most; sub++) {
		uint32_t i = raw_find(list, g->head->table, g->head->id, sub);

		if (i != PROF_NONE)
			g->block[g->blocks++] = &list->ref[i];
	}
	return g->blocks - before;
}

static bool at_rest(const struct raw_file *raw, const struct group *g)
{
	if (seq_of(raw_record(raw, g->head), g) & 1 || !same_in_both(raw, g->head))
		return false;
	for (uint32_t i = 0; i < g->blocks; i++)
		if (!same_in_both(raw, g->block[i]))
			return false;
	return true;
}

static bool copy_again(const struct raw_file *raw, const struct raw_ref *ref, void *copy)
{
	ssize_t bytes = bytes_of(raw, ref);

	return pread(raw->fd, copy, (size_t)bytes, (off_t)ref->at * SCP_RECORD_ALIGN) == bytes;
}

/* What was validated must not change under us: the file is not trusted. */
static void accept(const struct raw_file *raw, const struct raw_ref *ref, const void *copy,
		   uint32_t identity_bytes)
{
	void *record = raw_record(raw, ref);

	if (memcmp(record, copy, identity_bytes) == 0)
		memcpy(record, copy, bytes_of(raw, ref));
}

/* One more try. Returns whether the group is now sound. */
static bool try_again(const struct raw_file *raw, const struct group *g)
{
	uint8_t before[RECORD_MOST], after[RECORD_MOST];
	uint8_t block[BLOCKS_MOST][RECORD_MOST];
	uint32_t bytes = bytes_of(raw, g->head);

	if (!copy_again(raw, g->head, before) || seq_of(before, g) & 1)
		return false;
	for (uint32_t i = 0; i < g->blocks; i++)
		if (!copy_again(raw, g->block[i], block[i]))
			return false;
	if (!copy_again(raw, g->head, after))
		return false;
	accept(raw, g->head, before, g->identity_bytes);
	for (uint32_t i = 0; i < g->blocks; i++)
		accept(raw, g->block[i], block[i], block_identity(raw_record(raw, g->block[i])));
	return memcmp(before, after, bytes) == 0;
}

/* Its seq is part of no identity. */
static void mark_torn(const struct raw_file *raw, const struct group *g)
{
	uint8_t *record = raw_record(raw, g->head);
	uint32_t seq = seq_of(record, g) | 1;

	memcpy(record + g->seq_offset, &seq, sizeof seq);
}

static void wait_a_little(struct settle *s)
{
	struct timespec t = {.tv_nsec = WAIT_NS};

	s->waits++;
	nanosleep(&t, NULL);
}

static void settle_group(struct settle *s, const struct group *g)
{
	if (at_rest(s->raw, g))
		return;
	for (int i = 0; i < TRIES; i++) {
		if (try_again(s->raw, g))
			return;
		if (s->waits >= FILE_WAITS)
			break;
		wait_a_little(s);
	}
	mark_torn(s->raw, g);
}

static void settle_entry(struct settle *s, const struct raw_ref *entry)
{
	struct group g = {.head = entry,
			  .seq_offset = offsetof(struct scp_entry, seq),
			  .identity_bytes = offsetof(struct scp_entry, seq)};

	find_blocks(s->raw, SCP_REC_FIRST_CALLS, 1, &g);
	find_blocks(s->raw, SCP_REC_HIST, SCP_HIST_BLOCKS, &g);
	find_blocks(s->raw, SCP_REC_BATCH, 2, &g);
	find_blocks(s->raw, SCP_REC_SLOW, 1, &g);
	find_blocks(s->raw, SCP_REC_PHASE, 1, &g);
	find_blocks(s->raw, SCP_REC_LINE, 1, &g);
	find_blocks(s->raw, SCP_REC_TAIL, 1, &g);
	if (find_blocks(s->raw, SCP_REC_STATES, 1, &g)) { /* few of a million entries */
		find_blocks(s->raw, SCP_REC_STATE_BATCHES, 1, &g);
		find_blocks(s->raw, SCP_REC_STATE_HIST, SCP_HIST_BLOCKS * SCP_STATE_HISTS, &g);
	}
	settle_group(s, &g);
}

/* Records of one type with a seq of their own, at `seq_offset`: what is before it never changes. */
static void settle_list(struct settle *s, uint32_t type, uint32_t seq_offset)
{
	const struct raw_list *list = &s->raw->list[type];

	for (uint32_t i = 0; i < list->count; i++)
		settle_group(s, &(struct group){.head = &list->ref[i],
						.seq_offset = seq_offset,
						.identity_bytes = seq_offset});
}

void seqlock_snapshot_take(struct raw_file *raw)
{
	struct settle s = {.raw = raw};
	const struct raw_list *entries = &raw->list[SCP_REC_ENTRY];

	if (!raw->live)
		return;
	for (uint32_t i = 0; i < entries->count; i++)
		settle_entry(&s, &entries->ref[i]);
	settle_list(&s, SCP_REC_GAP, offsetof(struct scp_gap, seq));
	settle_list(&s, SCP_REC_TABLE_STATES, offsetof(struct scp_table_states, seq));
	s.waits = 0; /* they are few, and one that does not come to rest is lost */
	settle_list(&s, SCP_REC_SLOWEST, offsetof(struct scp_slowest, seq));
}

/* SLOWEST records are written over for as long as the program runs, and then mean another call of
 * another entry: what they refer to is known only of the copy that is kept. In a live file an entry
 * may be younger than the list of entries that we have; its call is left out, for it ended while we
 * were reading. In a file at rest that is damage. */

int seqlock_snapshot_slowest_take(struct raw_file *raw, struct profile_error *err)
{
	struct raw_list *list = &raw->list[SCP_REC_SLOWEST];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_slowest *slot = raw_record(raw, &list->ref[i]);

		if (slot->seq & 1) /* not one call's */
			continue;
		bool known = raw_find(&raw->list[SCP_REC_ENTRY], list->ref[i].table, slot->entry,
				      0) != PROF_NONE;
		if (!known && !raw->live)
			return error_damaged(
				err, raw->path,
				"slowest call %u of table %u names entry %u, which does not exist",
				slot->id, list->ref[i].table, slot->entry);
		if (!memchr(slot->name, 0, sizeof slot->name))
			return error_damaged(
				err, raw->path,
				"the thread's name of slowest call %u of table %u has no end",
				slot->id, list->ref[i].table);
		if (known)
			list->ref[kept++] = list->ref[i];
	}
	list->count = kept;
	return 0;
}
