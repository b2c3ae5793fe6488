// SPDX-License-Identifier: GPL-3.0-or-later
/* Entries read at known places. An entry is sound when its seq was even before and the same after
 * (struct scp_entry); most stand still, and those are known by their count. */
#include "profile/live/live.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/load.h"

#define TRIES 8

int live_open(struct live *l, struct profile *p, const char *path, int fd,
	      struct profile_error *err)
{
	bool grown;

	*l = (struct live){.watch.fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0)};
	if (l->watch.fd < 0 && entry_watch_open(&l->watch, path))
		return error_fail(err, path, "cannot be opened, or is not a regular file");
	if (profile_add_placed(p, path, l->watch.fd, &l->places, err)) {
		entry_watch_close(&l->watch);
		return -1;
	}
	if (!live_look(l, &grown))
		return 0;
	live_close(l);
	return error_no_memory(err, path);
}

void live_close(struct live *l)
{
	entry_watch_close(&l->watch);
	free(l->places.place);
	*l = (struct live){.watch.fd = -1};
}

static int read_at(const struct live *l, void *to, size_t bytes, uint64_t at)
{
	return entry_watch_read(l->watch.fd, to, bytes, at) ? 0 : -1;
}

static void take_block(struct prof_place *place, const struct watch_block *b)
{
	if (b->type == SCP_REC_BATCH)
		place->batches_at = b->at;
	else if (b->type == SCP_REC_PHASE)
		place->phases_at = b->at;
	else if (b->type == SCP_REC_STATES)
		place->states_at = b->at;
	else if (b->sub < SCP_HIST_BLOCKS)
		place->hist_at[b->sub] = b->at;
}

int live_look(struct live *l, bool *grown)
{
	if (entry_watch_look(&l->watch))
		return -1;
	for (; l->blocks_known < l->watch.blocks; l->blocks_known++) {
		const struct watch_block *b = &l->watch.block[l->blocks_known];
		struct prof_place *place = entry_offsets_find(&l->places, b->table, b->id);

		if (place)
			take_block(place, b);
	}
	*grown = l->watch.entries > l->places.places;
	return 0;
}

int live_header(const struct live *l, struct scp_header *h)
{
	struct scp_anchor fast = {0}, slow = {0};

	for (int try = 0; try < TRIES; try++) {
		if (read_at(l, h, sizeof(*h), 0))
			return -1;
		if (h->end_state != SCP_END_RUNNING ||
		    (try && !memcmp(&fast, &h->clock.last, sizeof(fast)) &&
		     !memcmp(&slow, &h->slow_clock.last, sizeof(slow))))
			break;
		fast = h->clock.last;
		slow = h->slow_clock.last;
	}
	return 0;
}

static void take(const struct scp_entry *e, struct prof_reading *out)
{
	bool batches = e->batch_count <= SCP_BATCHES && e->batch_calls &&
		       !(e->batch_calls & (e->batch_calls - 1)) &&
		       e->batch_count <= e->calls / e->batch_calls;

	*out = (struct prof_reading){
		.units_sq = load_wide(e->units_sq_lo, e->units_sq_hi),
		.bytes_sq = load_wide(e->bytes_sq_lo, e->bytes_sq_hi),
		.batch_count = batches ? e->batch_count : 0,
		.batch_calls = batches ? e->batch_calls : 0,
		.has_bytes = e->flags & SCP_ENTRY_BYTES,
	};
	PROF_SET(out, e, calls, units, bytes, inner_calls, min_units, max_units);
}

/* -1: they cannot be read. Of an entry without the record, there are none. */
static int read_states(const struct live *l, const struct prof_place *place,
		       struct prof_reading_states *out)
{
	struct scp_states s;

	*out = (struct prof_reading_states){.detector = SCP_SWITCH_NONE};
	if (!place->states_at)
		return 0;
	if (read_at(l, &s, sizeof(s), place->states_at))
		return -1;
	if (s.rec.type != SCP_REC_STATES || s.entry != place->id || s.detector > SCP_SWITCH_PERF)
		return 0;
	*out = (struct prof_reading_states){.detector = (uint32_t)s.detector};
	PROF_ADD(out, &s, from_calls, from_units, calls, units, switched_weighted);
	PROF_ADD(out, &s.off_cpu, known, weighted, runnable_ns, asleep_ns);
	return 0;
}

static bool is_same_entry(const struct scp_entry *e, const struct prof_place *place)
{
	return e->rec.type == SCP_REC_ENTRY && e->id == place->id;
}

int live_read(const struct live *l, uint32_t i, const struct prof_reading *last,
	      struct prof_reading *out)
{
	const struct prof_place *place = &l->places.place[i];
	struct scp_entry e, again;
	bool any = false;

	for (int try = 0; try < TRIES; try++) {
		if (read_at(l, &e, sizeof(e), place->entry_at) || !is_same_entry(&e, place))
			return -1;
		if (e.seq & 1)
			continue;
		take(&e, out);
		if (read_states(l, place, &out->states))
			return -1;
		any = true;
		/* what a segment was is known when it ends, maybe after the call: states may move
		 * while its count stands still */
		if (last && out->calls == last->calls && out->units == last->units &&
		    !place->states_at)
			return 0;
		if (!read_at(l, &again, sizeof(again), place->entry_at) &&
		    !memcmp(&e, &again, sizeof(e)))
			return 0;
	}
	if (!any) /* killed inside an update: the sums may differ by that call */
		take(&e, out);
	return 0;
}

void live_batches(const struct live *l, uint32_t i, const struct prof_reading *r,
		  struct prof_batches *out)
{
	const struct prof_place *place = &l->places.place[i];
	struct scp_entry before, after;
	struct scp_batch b;

	out->count = 0;
	out->calls = 0;
	if (!place->batches_at || !r->batch_count)
		return;
	for (int try = 0; try < TRIES; try++) {
		if (read_at(l, &before, sizeof(before), place->entry_at) ||
		    read_at(l, &b, sizeof(b), place->batches_at) ||
		    read_at(l, &after, sizeof(after), place->entry_at) ||
		    !is_same_entry(&after, place) || b.rec.type != SCP_REC_BATCH ||
		    b.entry != place->id)
			return;
		/* Complete batches stand still until they are joined in pairs, inside an update. */
		if (before.batch_calls != after.batch_calls || (before.seq | after.seq) & 1 ||
		    before.batch_count > SCP_BATCHES || !before.batch_calls)
			continue;
		uint64_t whole = r->calls / before.batch_calls;

		out->calls = before.batch_calls;
		out->count = whole < before.batch_count ? (uint32_t)whole : before.batch_count;
		memcpy(out->sum, b.sum, out->count * sizeof(out->sum[0]));
		return;
	}
}

bool live_phases(const struct live *l, uint32_t i, struct prof_phase *out)
{
	const struct prof_place *place = &l->places.place[i];
	struct scp_phase r;

	if (!place->phases_at || read_at(l, &r, sizeof(r), place->phases_at) ||
	    r.rec.type != SCP_REC_PHASE || r.entry != place->id)
		return false;
	memcpy(out->count, r.count, sizeof(out->count));
	return true;
}

bool live_hist(const struct live *l, uint32_t i, struct prof_hist *room, struct prof_blocks *out)
{
	const struct prof_place *place = &l->places.place[i];
	bool any = false;

	*out = (struct prof_blocks){0};
	for (uint32_t block = 0; block < SCP_HIST_BLOCKS; block++) {
		struct scp_hist r;

		if (!place->hist_at[block] || read_at(l, &r, sizeof(r), place->hist_at[block]) ||
		    r.rec.type != SCP_REC_HIST || r.entry != place->id || r.block != block)
			continue;
		any = true;
		out->block[block] = room->count + (size_t)block * SCP_HIST_BUCKETS;
		memcpy(out->block[block], r.count, sizeof(r.count));
	}
	return any;
}

#define READING_SUMS calls, units, units_sq, bytes, bytes_sq, inner_calls
#define STATES_SUMS                                                                                \
	from_calls, from_units, calls, units, switched_weighted, known, weighted, runnable_ns,     \
		asleep_ns

static void states_difference(const struct prof_reading_states *now,
			      const struct prof_reading_states *before,
			      struct prof_reading_states *out)
{
	if ((before->detector != SCP_SWITCH_NONE && now->detector != before->detector) ||
	    PROF_ANY_LESS(now, before, STATES_SUMS))
		return;
	*out = *now;
	PROF_SUBTRACT(out, before, STATES_SUMS);
}

int live_difference(const struct prof_reading *now, const struct prof_reading *before,
		    struct prof_reading *out)
{
	*out = (struct prof_reading){.min_units = now->min_units,
				     .max_units = now->max_units,
				     .has_bytes = now->has_bytes};
	if (PROF_ANY_LESS(now, before, READING_SUMS))
		return -1;
	/* there is no time without a call, and no squares without time */
	if (now->calls == before->calls &&
	    (now->units != before->units || now->units_sq != before->units_sq))
		return -1;
	PROF_ADD(out, now, READING_SUMS);
	PROF_SUBTRACT(out, before, READING_SUMS);
	states_difference(&now->states, &before->states, &out->states);
	return 0;
}

void live_add(struct prof_reading *to, const struct prof_reading *from)
{
	if (!to->calls || from->min_units < to->min_units)
		to->min_units = from->min_units;
	if (!to->calls || from->max_units > to->max_units)
		to->max_units = from->max_units;
	PROF_ADD(to, from, READING_SUMS);
	to->has_bytes |= from->has_bytes;
}

uint32_t live_first_batch(uint64_t calls, uint32_t count, uint64_t before)
{
	uint64_t first = calls ? before / calls + (before % calls != 0) : count;

	return first < count ? (uint32_t)first : count;
}
