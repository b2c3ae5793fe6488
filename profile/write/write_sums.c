// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums into an entry's record and the blocks behind it: the reverse of load_sums.c. */

#include <math.h>
#include <string.h>

#include "profile/write/image.h"
#include "profile/model/addition.h"

/* Calls of one site go one way, but for a few that lie in another interval once. */
static uint64_t most_taken_way(const struct prof_sums *s)
{
	unsigned most = 0;

	for (unsigned i = 1; i < SCP_WAYS; i++)
		most = s->way_calls[i] > s->way_calls[most] ? i : most;
	return most;
}

static void fill_entry(struct scp_entry *r, const struct prof_sums *s)
{
	const struct prof_batches *b =
		s->batches.count || !s->slow ? &s->batches : &s->slow->batches;

	PROF_COPY_RUN(r, calls, last_at, s, calls, last_at);
	PROF_COPY_RUN(r, bytes, inner_calls, s, bytes, inner_calls);
	r->batch_count = b->count;
	r->batch_calls = b->count ? b->calls : 1;
	r->batch_base_units = s->units;
	r->flags |= s->has_bytes ? SCP_ENTRY_BYTES : 0;
	r->flags |= most_taken_way(s) << SCP_ENTRY_WAY_SHIFT;
}

/* The blocks that have calls; *any becomes true where there is one. */
static void write_blocks(struct image *img, uint32_t type, struct scp_hist *r,
			 const struct prof_blocks *hist, bool *any)
{
	static const uint64_t none[SCP_HIST_BUCKETS];
	uint32_t first = r->block;

	for (uint32_t block = 0; block < SCP_HIST_BLOCKS; block++) {
		const uint64_t *count = hist->block[block];

		if (!count || memcmp(count, none, sizeof none) == 0)
			continue;
		*any = true;
		r->block = first + block;
		memcpy(r->count, count, sizeof r->count);
		image_copy(img, type, r, sizeof *r);
	}
}

/* An empty one has a block, which says that it is known. */
static void write_hist(struct image *img, uint32_t id, const struct prof_blocks *hist)
{
	struct scp_hist r = {.entry = id};
	bool any = false;

	write_blocks(img, SCP_REC_HIST, &r, hist, &any);
	if (!any)
		image_copy(img, SCP_REC_HIST, &r, sizeof r);
}

static void write_first_calls(struct image *img, uint32_t id, const struct prof_first_calls *first)
{
	struct scp_first_calls r = {.entry = id};

	memcpy(r.units, first->units, sizeof r.units);
	image_copy(img, SCP_REC_FIRST_CALLS, &r, sizeof r);
}

static void write_batches(struct image *img, uint32_t id, uint32_t clock,
			  const struct prof_batches *b, const struct prof_apart *a)
{
	struct scp_batch *r;

	if (b->count == 0 || !(r = image_record(img, SCP_REC_BATCH, sizeof *r)))
		return;
	r->entry = id;
	r->clock = clock;
	memcpy(r->sum, b->sum, b->count * sizeof r->sum[0]);
	if (!a || a->calls_sq > UINT64_MAX)
		return;
	r->apart_stretches = a->stretches;
	r->apart_calls_sq = (uint64_t)a->calls_sq;
	image_split(clock ? a->slow_calls_units : a->calls_units, &r->apart_calls_units_lo,
		    &r->apart_calls_units_hi);
	image_split(clock ? a->slow_units_sq : a->units_sq, &r->apart_units_sq_lo,
		    &r->apart_units_sq_hi);
}

static void write_slow(struct image *img, uint32_t id, const struct prof_slow *s,
		       const struct prof_apart *a)
{
	struct scp_slow r = {.entry = id, .batch_base_units = s->units};

	PROF_COPY_RUN(&r, units, max_units, s, units, max_units);
	image_copy(img, SCP_REC_SLOW, &r, sizeof r);
	write_batches(img, id, 1, &s->batches, a);
}

static void write_phase(struct image *img, uint32_t id, const struct prof_phase *phase)
{
	struct scp_phase r = {.entry = id};

	memcpy(r.count, phase->count, sizeof r.count);
	image_copy(img, SCP_REC_PHASE, &r, sizeof r);
}

static void write_line(struct image *img, uint32_t id, const struct prof_line *line, uint32_t slots)
{
	struct scp_line *r = image_record(img, SCP_REC_LINE, sizeof *r);

	if (!r)
		return;
	r->entry = id;
	memcpy(r->bytes, line->bytes, slots * sizeof r->bytes[0]);
	for (uint32_t i = 0; i < slots; i++) {
		image_split(line->bytes_sq[i], &r->bytes_sq_lo[i], &r->bytes_sq_hi[i]);
		image_split(line->bytes_units[i], &r->bytes_units_lo[i], &r->bytes_units_hi[i]);
	}
}

void write_sums(struct image *img, struct scp_entry *r, const struct prof_sums *s)
{
	uint32_t id = r->id;

	fill_entry(r, s);
	if (s->first) /* the batches are in it, too */
		write_first_calls(img, id, s->first);
	else
		write_batches(img, id, 0, &s->batches, s->apart);
	if (s->hist)
		write_hist(img, id, s->hist);
	if (s->slow)
		write_slow(img, id, s->slow, s->apart);
	if (s->phase)
		write_phase(img, id, s->phase);
	if (s->line)
		write_line(img, id, s->line, s->batches.count);
}

/* An entry has a record where the file's detector does not tell as
 * much: it has states, or is known by another detector, or is not known. */

static void write_table(struct image *img, const struct prof_table_states *t)
{
	struct scp_table_states r = {.detector = t->detector, .seq = t->torn};

	PROF_COPY_RUN(&r, gaps, overcharged_ns, t, gaps, overcharged_ns);
	image_copy(img, SCP_REC_TABLE_STATES, &r, sizeof r);
}

static void write_state_batches(struct image *img, uint32_t id, const struct prof_state_batches *b)
{
	struct scp_state_batches r = {.entry = id};

	PROF_COPY_RUN(&r, calls, asleep_ns, b, calls, asleep_ns);
	image_copy(img, SCP_REC_STATE_BATCHES, &r, sizeof r);
}

static void write_state_hist(struct image *img, uint32_t id, uint32_t kind,
			     const struct prof_blocks *hist)
{
	struct scp_hist r = {.entry = id, .block = kind * SCP_HIST_BLOCKS};
	bool any;

	write_blocks(img, SCP_REC_STATE_HIST, &r, hist, &any);
}

static void write_entry(struct image *img, uint32_t id, const struct prof_sums *s)
{
	const struct prof_states *t = s->states;
	struct scp_states r = {.entry = id, .detector = s->detector};

	if (t) {
		PROF_COPY_RUN(&r, from_calls, units_asleep_hi, t, from_calls, units_asleep);
		r.moved_runnable_ns = (int64_t)fmin(fmax(t->moved_runnable, -0x1p62), 0x1p62);
		r.moved_asleep_ns = (int64_t)fmin(fmax(t->moved_asleep, -0x1p62), 0x1p62);
	}
	image_copy(img, SCP_REC_STATES, &r, sizeof r);
	if (!t)
		return;
	if (t->batches)
		write_state_batches(img, id, t->batches);
	for (uint32_t kind = 0; kind < SCP_STATE_HISTS; kind++)
		if (t->hist[kind])
			write_state_hist(img, id, kind, t->hist[kind]);
}

void write_states(struct image *img, const struct profile *p, uint32_t table, const uint32_t *entry,
		  uint32_t entries)
{
	uint32_t implied = states_implied(&p->switches);

	if (p->table[table].states.detector != SCP_SWITCH_NONE)
		write_table(img, &p->table[table].states);
	for (uint32_t i = 0; i < entries; i++) {
		const struct prof_sums *s = &p->entry[entry[i]].sums;

		if (s->states || s->detector != implied)
			write_entry(img, i + 1, s);
	}
}
