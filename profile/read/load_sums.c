// SPDX-License-Identifier: GPL-3.0-or-later
/* One entry's record and the blocks that hang on it become sums. A live entry and its blocks may be
 * from two moments, and a damaged file may say anything: a block that contradicts its entry is left
 * out. */

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/read/load.h"
#include "profile/model/addition.h"

static struct prof_states *states_of(const struct scp_states *r, uint32_t detector)
{
	struct prof_states *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->detector = detector;
	PROF_COPY_RUN(t, from_calls, units_asleep, r, from_calls, units_asleep_hi);
	t->moved_runnable = (double)r->moved_runnable_ns;
	t->moved_asleep = (double)r->moved_asleep_ns;
	return t;
}

static bool within(const uint64_t *slot, uint32_t slots, uint64_t most)
{
	prof_u128 sum = 0;

	for (uint32_t i = 0; i < slots; i++)
		sum += slot[i];
	return sum <= most;
}

/* Do the slots together make no more than the entry's own sums? */
static bool batches_fit(const struct prof_state_batches *b, uint32_t slots,
			const struct prof_states *t)
{
	const struct scp_off_cpu *o = &t->off_cpu;

	return within(b->calls, slots, t->calls) && within(b->units, slots, t->units) &&
	       within(b->weighted, slots, o->weighted) &&
	       within(b->runnable_ns, slots, o->runnable_ns) &&
	       within(b->asleep_ns, slots, o->asleep_ns) &&
	       (t->detector == SCP_SWITCH_SAMPLED || within(b->known, slots, o->known));
}

/* *sound becomes false where they contradict the sums. Those of one that was given up may. */
static int load_state_batches(const struct raw_file *raw, const struct raw_ref *ref,
			      const struct prof_sums *s, bool *sound)
{
	const struct scp_state_batches *r = load_block(raw, SCP_REC_STATE_BATCHES, ref, 0);
	struct prof_state_batches *b;

	if (!r || !s->batches.count)
		return 0;
	b = s->states->batches = calloc(1, sizeof *b);
	if (!b)
		return -1;
	PROF_COPY_RUN(b, calls, asleep_ns, r, calls, asleep_ns);
	if (batches_fit(b, s->batches.count, s->states))
		return 0;
	*sound = s->states->from_calls;
	PROF_FREE(s->states, batches);
	return 0;
}

static int load_block_of_hist(struct prof_blocks **of, uint32_t block, const struct scp_hist *r)
{
	uint64_t *count = hist_block(of, block);

	if (!count)
		return -1;
	memcpy(count, r->count, sizeof r->count);
	return 0;
}

static int load_hists(const struct raw_file *raw, const struct raw_ref *ref, struct prof_states *t)
{
	static const uint64_t none[SCP_HIST_BUCKETS];

	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_STATE_HISTS; i++) {
		const struct scp_hist *r = load_block(raw, SCP_REC_STATE_HIST, ref, i);

		if (r && memcmp(r->count, none, sizeof none) != 0 &&
		    load_block_of_hist(&t->hist[i / SCP_HIST_BLOCKS], i % SCP_HIST_BLOCKS, r))
			return -1;
	}
	return 0;
}

/* A thread without one, in a process that has one or gave it up: nothing is known of its calls but
 * what was asked. Nor of those that only the one that was given up saw. */
static bool lost_detector(const struct raw_file *raw, uint32_t table, uint32_t detector)
{
	const struct raw_ref of = {.table = table};
	const struct scp_table_states *t = load_block(raw, SCP_REC_TABLE_STATES, &of, 0);

	if (raw_header(raw)->flags & SCP_FILE_MERGED || !t)
		return false;
	return !states_sees_all(t->detector) ||
	       (raw_header(raw)->switches.flags & SCP_SWITCH_MISSED && detector != t->detector);
}

/* out->detector and out->states, behind the other sums of the entry. -1: out of memory. */
static int load_states_of_entry(const struct raw_file *raw, const struct raw_ref *entry,
				struct prof_sums *out)
{
	const struct scp_states *r = load_block(raw, SCP_REC_STATES, entry, 0);
	bool sound = true;

	out->detector =
		r ? states_detector(r->detector) : states_implied(&raw_header(raw)->switches);
	if (states_sees_all(out->detector) && lost_detector(raw, entry->table, out->detector))
		out->detector = SCP_SWITCH_NONE;
	if (!r || out->detector == SCP_SWITCH_NONE)
		return 0;
	if (!r->calls && !r->from_calls && (states_sees_all(out->detector) || !out->calls))
		return 0;
	out->states = states_of(r, out->detector);
	if (!out->states || load_state_batches(raw, entry, out, &sound) ||
	    load_hists(raw, entry, out->states))
		return -1;
	if (!sound)
		states_drop(out);
	states_settle(out);
	return 0;
}

void load_states_of_table(const struct raw_file *raw, const struct raw_ref *table,
			  struct prof_table_states *out)
{
	const struct scp_table_states *r = load_block(raw, SCP_REC_TABLE_STATES, table, 0);

	if (!r)
		return;
	out->detector = states_detector(r->detector);
	out->torn = r->seq & 1;
	PROF_COPY_RUN(out, gaps, overcharged_ns, r, gaps, overcharged_ns);
	states_settle_table(out);
}

/* Whether all of an entry's calls are in its FIRST_CALLS. */
static bool is_few(const struct scp_entry *e)
{
	return e->calls > 1 && e->calls <= SCP_FIRST_CALLS;
}

/* The sums of the main clock's batches, NULL: not known. Those of first calls are made in *room. */
static const uint64_t *find_batches(const struct raw_file *raw, const struct raw_ref *ref,
				    uint32_t clock, uint64_t room[SCP_FIRST_CALLS / 2])
{
	const struct scp_entry *e = raw_record(raw, ref);
	const struct scp_first_calls *f =
		clock ? NULL : load_block(raw, SCP_REC_FIRST_CALLS, ref, 0);
	const struct scp_batch *b =
		f && is_few(e) ? NULL : load_block(raw, SCP_REC_BATCH, ref, clock);

	if (b)
		return b->sum;
	if (!f || e->batch_calls != 2 || e->batch_count > SCP_FIRST_CALLS / 2)
		return NULL;
	for (uint32_t i = 0; i < SCP_FIRST_CALLS / 2; i++)
		room[i] = f->units[2 * i] + f->units[2 * i + 1];
	return room;
}

static int load_batches(const struct raw_file *raw, const struct raw_ref *ref, uint32_t clock,
			struct prof_batches *out)
{
	const struct scp_entry *e = raw_record(raw, ref);
	uint64_t room[SCP_FIRST_CALLS / 2];
	const uint64_t *sum = e->batch_count ? find_batches(raw, ref, clock, room) : NULL;

	if (!sum || e->batch_count > SCP_BATCHES || e->batch_calls == 0 ||
	    (e->batch_calls & (e->batch_calls - 1)) || e->batch_calls > e->calls / e->batch_count)
		return 0;
	out->sum = malloc(e->batch_count * sizeof sum[0]);
	if (!out->sum)
		return -1;
	out->calls = e->batch_calls;
	out->count = e->batch_count;
	memcpy(out->sum, sum, e->batch_count * sizeof sum[0]);
	return 0;
}

/* Behind the batches of both clocks. */
static int load_apart(const struct raw_file *raw, const struct raw_ref *ref, struct prof_sums *s)
{
	const struct scp_batch *b =
		s->batches.count && !s->first ? load_block(raw, SCP_REC_BATCH, ref, 0) : NULL;
	const struct scp_batch *slow =
		s->slow && s->slow->batches.count ? load_block(raw, SCP_REC_BATCH, ref, 1) : NULL;

	if (!b || !b->apart_stretches || !b->apart_calls_sq)
		return 0;
	s->apart = calloc(1, sizeof *s->apart);
	if (!s->apart)
		return -1;
	s->apart->stretches = b->apart_stretches;
	s->apart->calls_sq = b->apart_calls_sq;
	s->apart->calls_units = load_wide(b->apart_calls_units_lo, b->apart_calls_units_hi);
	s->apart->units_sq = load_wide(b->apart_units_sq_lo, b->apart_units_sq_hi);
	if (!slow)
		return 0;
	s->apart->slow_calls_units =
		load_wide(slow->apart_calls_units_lo, slow->apart_calls_units_hi);
	s->apart->slow_units_sq = load_wide(slow->apart_units_sq_lo, slow->apart_units_sq_hi);
	return 0;
}

static int load_first_calls(const struct scp_first_calls *r, struct prof_sums *s)
{
	s->first = malloc(sizeof *s->first);
	if (!s->first)
		return -1;
	s->first->calls = (uint32_t)s->calls;
	memset(s->first->units, 0, sizeof s->first->units);
	memcpy(s->first->units, r->units, s->first->calls * sizeof r->units[0]);
	return 0;
}

static int load_hist(const struct raw_file *raw, const struct raw_ref *ref, struct prof_sums *s)
{
	bool any = raw_header(raw)->flags & SCP_FILE_HISTOGRAMS;
	const struct scp_first_calls *f = any && is_few(raw_record(raw, ref))
						  ? load_block(raw, SCP_REC_FIRST_CALLS, ref, 0)
						  : NULL;

	if (s->calls == 1 && any) {
		s->hist_of_one = true; /* with a record or without: it says the same */
		return 0;
	}
	if (f)
		return load_first_calls(f, s);
	for (uint32_t block = 0; block < SCP_HIST_BLOCKS; block++) {
		const struct scp_hist *h = load_block(raw, SCP_REC_HIST, ref, block);

		if (h && load_block_of_hist(&s->hist, block, h))
			return -1;
	}
	return 0;
}

static int load_slow(const struct raw_file *raw, const struct raw_ref *ref, struct prof_sums *s)
{
	const struct scp_slow *r = load_block(raw, SCP_REC_SLOW, ref, 0);

	if (!r || !(raw_header(raw)->flags & SCP_FILE_DUAL))
		return 0;
	s->slow = calloc(1, sizeof *s->slow);
	if (!s->slow)
		return -1;
	PROF_COPY_RUN(s->slow, units, max_units, r, units, max_units);
	return load_batches(raw, ref, 1, &s->slow->batches);
}

static int load_phase(const struct raw_file *raw, const struct raw_ref *ref, struct prof_sums *s)
{
	const struct scp_phase *r = load_block(raw, SCP_REC_PHASE, ref, 0);

	if (!r)
		return 0;
	_Static_assert(sizeof *s->phase == sizeof r->count, "it is all counts");
	s->phase = array_copy(r->count, sizeof r->count);
	return s->phase ? 0 : -1;
}

/* Do the slots together make no more than the entry's own sums? */
static bool line_fits(const struct prof_line *l, const struct prof_sums *s)
{
	prof_u128 bytes = 0, bytes_sq = 0, bytes_units = 0;
	bool over = false;

	for (uint32_t i = 0; i < s->batches.count; i++) {
		bytes += l->bytes[i];
		over |= __builtin_add_overflow(bytes_sq, l->bytes_sq[i], &bytes_sq);
		over |= __builtin_add_overflow(bytes_units, l->bytes_units[i], &bytes_units);
	}
	return !over && bytes <= s->bytes && bytes_sq <= s->bytes_sq &&
	       bytes_units <= s->bytes_units;
}

static int load_line(const struct raw_file *raw, const struct raw_ref *ref, struct prof_sums *s)
{
	const struct scp_line *r = load_block(raw, SCP_REC_LINE, ref, 0);
	struct prof_line *l;

	if (!r || !s->has_bytes || s->batches.count == 0)
		return 0;
	l = calloc(1, sizeof *l);
	if (!l)
		return -1;
	for (uint32_t i = 0; i < s->batches.count; i++) {
		l->bytes[i] = r->bytes[i];
		l->bytes_sq[i] = load_wide(r->bytes_sq_lo[i], r->bytes_sq_hi[i]);
		l->bytes_units[i] = load_wide(r->bytes_units_lo[i], r->bytes_units_hi[i]);
	}
	if (line_fits(l, s))
		s->line = l;
	else
		free(l);
	return 0;
}

/* What does not add up is not known: zeros. */
static int load_tail(const struct raw_file *raw, const struct raw_ref *ref, struct prof_sums *s)
{
	const struct scp_tail *r = load_block(raw, SCP_REC_TAIL, ref, 0);

	if (!r || !hist_is_known(s) || s->batches.count == 0)
		return 0;
	s->tail = calloc(1, sizeof *s->tail);
	if (!s->tail)
		return -1;
	PROF_SET(s->tail, r, first, octaves);
	for (uint32_t i = 0; i < s->batches.count; i++) {
		uint64_t calls = 0;

		for (uint32_t k = 0; k < r->octaves; k++)
			calls += r->calls[i][k];
		if (calls == s->batches.calls)
			memcpy(s->tail->calls[i], r->calls[i], r->octaves * sizeof r->calls[i][0]);
	}
	return 0;
}

int load_sums(const struct raw_file *raw, const struct raw_ref *entry, struct prof_sums *out)
{
	const struct scp_entry *r = raw_record(raw, entry);

	*out = (struct prof_sums){.has_bytes = r->flags & SCP_ENTRY_BYTES};
	PROF_COPY_RUN(out, calls, last_at, r, calls, last_at);
	PROF_COPY_RUN(out, bytes, inner_calls, r, bytes, inner_calls);
	out->way_calls[SCP_ENTRY_WAY(r->flags)] = out->calls;
	return load_batches(raw, entry, 0, &out->batches) || load_hist(raw, entry, out) ||
			       load_slow(raw, entry, out) || load_phase(raw, entry, out) ||
			       load_line(raw, entry, out) || load_apart(raw, entry, out) ||
			       load_states_of_entry(raw, entry, out) || load_tail(raw, entry, out)
		       ? -1
		       : 0;
}
