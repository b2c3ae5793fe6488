// SPDX-License-Identifier: Apache-2.0
/* Batches are equally long runs of an entry's calls, one after the other without a gap:
 * what closes one is the difference of the entry's sums and all batches before.
 *
 * A line record is large (2.6 kB), so it is made only for an entry whose sizes vary and
 * that has a few batches. As long as all sizes were equal, the batches say what each
 * slot of the line would hold: nothing is lost by beginning late. The first few batches
 * of sizes that vary wait in private memory, where a tenth of the room does.
 *
 * The sums of the first few batches are those of the first calls, as long as there are no more. */
#include "preload/table/table.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/table/header.h"
#include "preload/table/recording.h"

/* With what the first calls say. */
static void make_block(struct scp_thread *t, const struct scp_rt *rt, uint32_t clock,
		       struct scp_batch **block)
{
	const struct scp_first_calls *first = clock ? NULL : rt->more->first;
	struct scp_batch *b = record_begin_of(t, rt, NULL, 0, SCP_REC_BATCH, sizeof *b);
	if (!b)
		return;
	b->clock = clock;
	for (uint32_t i = 0; first && i < rt->more->batch_count && i < FIRST_CALLS_BATCHES; i++)
		b->sum[i] = first_calls_batch(first, i);
	file_publish_record_at(&t->chunk, b, *block, b);
}

static unsigned __int128 wide(uint64_t low, uint64_t high)
{
	return (unsigned __int128)high << 64 | low;
}

static void get_slot(const struct scp_line *l, uint32_t i, struct line_sums *out)
{
	out->bytes = l->bytes[i];
	out->bytes_sq = wide(l->bytes_sq_lo[i], l->bytes_sq_hi[i]);
	out->bytes_units = wide(l->bytes_units_lo[i], l->bytes_units_hi[i]);
}

static void put_slot(struct scp_line *l, uint32_t i, const struct line_sums *s)
{
	l->bytes[i] = s->bytes;
	l->bytes_sq_lo[i] = (uint64_t)s->bytes_sq;
	l->bytes_sq_hi[i] = (uint64_t)(s->bytes_sq >> 64);
	l->bytes_units_lo[i] = (uint64_t)s->bytes_units;
	l->bytes_units_hi[i] = (uint64_t)(s->bytes_units >> 64);
}

static void take_from(struct line_sums *s, const struct line_sums *part)
{
	s->bytes -= part->bytes;
	s->bytes_sq -= part->bytes_sq;
	s->bytes_units -= part->bytes_units;
}

static void all_calls(const struct scp_entry *e, struct line_sums *out)
{
	out->bytes = e->bytes;
	out->bytes_sq = wide(e->bytes_sq_lo, e->bytes_sq_hi);
	out->bytes_units = wide(e->bytes_units_lo, e->bytes_units_hi);
}

/* Equality in Cauchy-Schwarz; once it does not hold it never does again. */
static bool sizes_vary(const struct scp_entry *e, uint64_t calls, uint64_t *size)
{
	*size = e->bytes / calls;
	return *size * calls != e->bytes ||
	       wide(e->bytes_sq_lo, e->bytes_sq_hi) != (unsigned __int128)*size * e->bytes;
}

/* Slot i of an entry all of whose calls so far moved rt->more->size bytes. */
static void slot_of_one_size(const struct scp_rt *rt, uint32_t i, struct line_sums *out)
{
	out->bytes = rt->more->size * rt->entry->batch_calls;
	out->bytes_sq = (unsigned __int128)rt->more->size * out->bytes;
	out->bytes_units =
		(unsigned __int128)rt->more->size *
		(rt->more->batch ? rt->more->batch->sum[i] : first_calls_batch(rt->more->first, i));
}

/* Batch `slot` is the first, or one of the first, of sizes that vary. */
static void close_early(struct scp_thread *t, struct scp_rt *rt, uint32_t slot)
{
	struct line_sums rest;
	if (!rt->more->early) {
		rt->more->early = arena_take(&t->index, LINE_EARLY * sizeof *rt->more->early);
		if (!rt->more->early) {
			rt->more->line_lost = true;
			return;
		}
		for (uint32_t i = 0; i < slot; i++)
			slot_of_one_size(rt, i, &rt->more->early[i]);
	}
	all_calls(rt->entry, &rest);
	for (uint32_t i = 0; i < slot; i++)
		take_from(&rest, &rt->more->early[i]);
	rt->more->early[slot] = rest;
}

/* The record, with the slots before `slot`. */
static bool begin_line(struct scp_thread *t, struct scp_rt *rt, uint32_t slot)
{
	struct scp_line *l = record_begin_of(t, rt, NULL, 0, SCP_REC_LINE, sizeof *l);
	struct line_sums s;
	rt->more->line_lost = !l;
	if (!l)
		return false;
	for (uint32_t i = 0; i < slot; i++) {
		if (!rt->more->early)
			slot_of_one_size(rt, i, &s);
		put_slot(l, i, rt->more->early ? &rt->more->early[i] : &s);
	}
	file_publish_record_at(&t->chunk, l, rt->more->line, l);
	return true;
}

/* rt->more->batch has its sum for `slot` already. Not inlined: whatever else a batch leads to
 * has the stack to itself. */
static COLD void close_line(struct scp_thread *t, struct scp_rt *rt, uint32_t slot, uint64_t calls)
{
	struct line_sums rest, s;
	uint64_t size;
	if (rt->more->line_lost)
		return;
	if (!rt->more->line && !sizes_vary(rt->entry, calls, &size)) {
		rt->more->size = size;
		return;
	}
	if (!rt->more->line && stack_room() < STACK_TO_RECORD) {
		rt->more->line_lost = true;
		return;
	}
	if (!rt->more->line && slot < LINE_EARLY) {
		close_early(t, rt, slot);
		return;
	}
	if (!rt->more->line) {
		struct recording recording = recording_begin(t);
		bool begun = begin_line(t, rt, slot);
		recording_end(t, &recording);
		if (!begun)
			return;
	}
	all_calls(rt->entry, &rest);
	for (uint32_t i = 0; i < slot; i++) {
		get_slot(rt->more->line, i, &s);
		take_from(&rest, &s);
	}
	put_slot(rt->more->line, slot, &rest);
}

static void merge_pairs(struct scp_batch *b)
{
	for (unsigned i = 0; i < SCP_BATCHES / 2; i++)
		b->sum[i] = b->sum[2 * i] + b->sum[2 * i + 1];
}

static COLD void merge_line_pairs(struct scp_line *l)
{
	struct line_sums a, b;
	for (unsigned i = 0; i < SCP_BATCHES / 2; i++) {
		get_slot(l, 2 * i, &a);
		get_slot(l, 2 * i + 1, &b);
		a.bytes += b.bytes;
		a.bytes_sq += b.bytes_sq;
		a.bytes_units += b.bytes_units;
		put_slot(l, i, &a);
	}
}

static void double_batches(struct scp_thread *t, struct scp_rt *rt)
{
	merge_pairs(rt->more->batch);
	if (rt->slow)
		merge_pairs(rt->more->slow_batch);
	if (rt->more->line)
		merge_line_pairs(rt->more->line);
	if (rt->states)
		states_merge_pairs(rt);
	rt->more->batch_count = SCP_BATCHES / 2;
	rt->entry->batch_calls *= 2;
	tail_double(t, rt);
}

static bool make_blocks(struct scp_thread *t, struct scp_rt *rt)
{
	if (!table_more(t, rt))
		return false;
	struct scp_rt_more *more = rt->more;
	if (more->batch && (!rt->slow || more->slow_batch))
		return true;
	struct recording recording = recording_begin(t);
	if (!more->batch)
		make_block(t, rt, 0, &more->batch);
	if (more->batch && rt->slow && !more->slow_batch)
		make_block(t, rt, 1, &more->slow_batch);
	recording_end(t, &recording);
	return more->batch && (!rt->slow || more->slow_batch);
}

/* The present batch is that of first calls. A slow clock has none of these. */
static bool is_kept(const struct scp_rt *rt)
{
	const struct scp_rt_more *more = rt->more;
	return more && more->first && !more->batch && !rt->slow &&
	       more->batch_count < FIRST_CALLS_BATCHES;
}

static void end_at(struct scp_rt *rt, uint64_t calls)
{
	rt->entry->batch_end = rt->batch_end = calls;
}

COLD void batch_close(struct scp_thread *t, struct scp_rt *rt)
{
	struct scp_entry *e = rt->entry;
	uint64_t calls = *(volatile uint64_t *)&e->calls; /* of the file: read once */
	if (calls <= 1) {
		e->first_units = e->units;
		end_at(rt, e->batch_calls);
		return;
	}
	if (!is_kept(rt) && !make_blocks(t, rt)) {
		end_at(rt, ~UINT64_C(0)); /* no room: none for this entry */
		return;
	}
	uint32_t slot = rt->more->batch_count;
	if (rt->more->batch)
		rt->more->batch->sum[slot] = e->units - e->batch_base_units;
	e->batch_base_units = e->units;
	if (rt->slow) {
		rt->more->slow_batch->sum[slot] = rt->slow->units - rt->slow->batch_base_units;
		rt->slow->batch_base_units = rt->slow->units;
	}
	if (e->flags & SCP_ENTRY_BYTES)
		close_line(t, rt, slot, calls);
	if (unlikely(rt->states != NULL))
		states_close_batch(t, rt, slot);
	if (rt->more->tail)
		tail_close(rt, slot);
	if (slot + 1 < SCP_BATCHES)
		rt->more->batch_count = slot + 1;
	else
		double_batches(t, rt);
	e->batch_count = rt->more->batch_count;
	end_at(rt, calls + e->batch_calls);
	header_refresh_by(&t->asked, *(volatile uint64_t *)&e->last_at);
}
