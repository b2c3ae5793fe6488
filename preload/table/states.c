// SPDX-License-Identifier: Apache-2.0

#include "preload/table/table.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/stack.h"
#include "preload/table/sums.h"

#define PART_BITS 10
#define BEYOND_NS 20000u

static void *new_record(struct scp_thread *t, const struct scp_rt *rt, uint32_t type,
			uint64_t bytes)
{
	return record_begin_of(t, rt, &t->states_chunk, SCP_OPTIONAL_STATES, type, bytes);
}

void states_begin_table(struct scp_thread *t)
{
	struct scp_table_states *s = record_begin_optional(t, &t->states_chunk, SCP_OPTIONAL_STATES,
							   SCP_REC_TABLE_STATES, sizeof *s);
	if (!s)
		return;
	file_publish_record(&t->states_chunk, s->rec.bytes);
	t->table_states = s;
}

/* units * weighted / known; weights are mostly whole numbers, and below 2^24. */
static uint64_t weigh(uint64_t units, uint64_t weighted, uint64_t known)
{
	uint64_t rest = (weighted % known << PART_BITS) / known;
	return units * (weighted / known) + (units * rest >> PART_BITS);
}

/* `units`: how long the interval was; without a detector it counts as 1. */
static void add_off_cpu(struct scp_off_cpu *to, uint64_t units, const struct switch_sums *off)
{
	uint64_t known = off->mark.known;
	to->known += known ? units : 0;
	to->weighted += known ? weigh(units, off->mark.weighted, known) : off->mark.weighted;
	to->runnable_ns += off->mark.runnable_ns;
	to->asleep_ns += off->mark.asleep_ns;
	to->ran_ns += off->ran_ns;
	to->waits += off->waits;
}

void states_refresh_table(struct scp_thread *t)
{
	struct scp_table_states *s = t->table_states;
	const struct switch_totals *totals = &t->switches.totals;
	if (!s)
		return;
	sums_begin_change(&s->seq);
	s->detector = t->switches.detector;
	s->covered_ns = totals->covered_ns;
	s->cpu_ns = totals->cpu_ns;
	s->delay_covered_ns = totals->delay_covered_ns;
	s->delay_ns = totals->delay_ns;
	s->ran_ns = totals->ran_ns;
	s->stolen_ns = totals->stolen_ns > 0 ? (uint64_t)totals->stolen_ns : 0;
	s->overcharged_ns = totals->stolen_ns < 0 ? (uint64_t)-totals->stolen_ns : 0;
	sums_end_change(&s->seq);
}

COLD void states_add_gap(struct scp_thread *t, uint64_t units, const struct switch_sums *off)
{
	struct scp_table_states *s = t->table_states;
	if (!s)
		return;
	sums_begin_change(&s->seq);
	s->gaps++;
	s->gap_units += units;
	s->switches += off->mark.count;
	add_off_cpu(&s->gap_off_cpu, units, off);
	sums_end_change(&s->seq);
}

/* 1: a call of so many units had room for `ns` of what was read; -1: that is more than it took; 0:
 * neither can be told, for readings and rates are uncertain by as much, or a ticker that lost its
 * own CPU makes any call short. */
static int was_in_call(const struct switch_mark *off, uint64_t ns, uint64_t units)
{
	if (!off->weighted || !off->known || clock_is_coarse(clock_chosen.kind))
		return 0;
	ns = (uint64_t)((unsigned __int128)ns * off->known / off->weighted);
	if (ns <= BEYOND_NS)
		return 0;
	return units + 1 < clock_units_of(ns - ns / 8) ? -1 : 1;
}

/* Where a thread was off its CPU for longer than the call took, that was just before its clock was
 * read, or just after, as while its first entry was made: it is the gap's. But nobody sleeps there:
 * a sleep that fits is the call's, and only the wait for a CPU is not. */
COLD const struct switch_sums *states_add_top(struct scp_thread *t, uint64_t gap, uint64_t units,
					      struct switch_sums *off)
{
	struct scp_table_states *s = t->table_states;
	struct switch_mark *mark = &off->mark;
	if (was_in_call(mark, mark->runnable_ns + mark->asleep_ns, units) < 0) {
		struct switch_sums rest = *off;
		if (was_in_call(mark, mark->asleep_ns, units) > 0) {
			rest = (struct switch_sums){.mark = *mark};
			rest.mark.count = rest.mark.asleep_ns = 0;
			mark->runnable_ns = 0;
		} else {
			off = NULL;
		}
		states_add_gap(t, gap, &rest);
	}
	if (!off)
		return NULL;
	states_refresh_table(t);
	if (!s)
		return off;
	sums_begin_change(&s->seq);
	s->switches += mark->count;
	add_off_cpu(&s->call_off_cpu, units, off);
	sums_end_change(&s->seq);
	return off;
}

/* The detector was given up, or the table's new owner has another. What is by batches is not begun
 * again: a reader leaves it alone. */
static void begin_again(struct entry_states *s)
{
	*s->record = (struct scp_states){.rec = s->record->rec, .entry = s->record->entry};
	s->batches = NULL;
	for (unsigned kind = 0; kind < SCP_STATE_HISTS; kind++)
		for (unsigned block = 0; block < SCP_HIST_BLOCKS; block++)
			for (unsigned i = 0; s->hist[kind][block] && i < SCP_HIST_BUCKETS; i++)
				s->hist[kind][block]->count[i] = 0;
}

static bool has_record(struct scp_thread *t, struct scp_rt *rt, uint64_t units)
{
	struct entry_states *s = rt->states;
	if (s && s->record->detector == t->switches.detector)
		return true;
	if (s) {
		begin_again(s);
	} else {
		s = arena_take(&t->index, sizeof *s);
		struct scp_states *record =
			s ? new_record(t, rt, SCP_REC_STATES, sizeof *record) : NULL;
		if (!s)
			process_loss(histogram_losses, 1);
		if (!record)
			return false;
		*s = (struct entry_states){.record = record};
	}
	s->record->detector = t->switches.detector;
	if (rt->states || (switch_chosen.flags & SCP_SWITCH_MISSED)) {
		s->lost = true;
		s->record->from_calls = rt->entry->calls - 1;
		s->record->from_units = rt->entry->units - units;
	}
	if (!rt->states)
		file_publish_record_at(&t->states_chunk, s->record, rt->states, s);
	return true;
}

static void count_in_histogram(struct scp_thread *t, struct scp_rt *rt, enum scp_state_hist kind,
			       uint64_t units, uint64_t weight)
{
	uint32_t bucket = sums_bucket(units), block = bucket / SCP_HIST_BUCKETS;
	struct scp_hist **h = &rt->states->hist[kind][block];
	if (!*h) {
		struct scp_hist *fresh = new_record(t, rt, SCP_REC_STATE_HIST, sizeof *fresh);
		if (!fresh)
			return;
		fresh->block = kind * SCP_HIST_BLOCKS + block;
		file_publish_record_at(&t->states_chunk, fresh, *h, fresh);
	}
	(*h)->count[bucket % SCP_HIST_BUCKETS] += weight;
}

static void add_histograms(struct scp_thread *t, struct scp_rt *rt, uint64_t units,
			   const struct switch_sums *off)
{
	bool sampled = t->switches.detector == SCP_SWITCH_SAMPLED;
	uint64_t known = off->mark.known ? off->mark.known : 1;
	uint64_t weight = sampled ? off->mark.weighted : (off->mark.weighted + known / 2) / known;
	if (off->mark.count)
		count_in_histogram(t, rt, SCP_STATE_SWITCHED, units, sampled ? weight : 1);
	if (weight && off->mark.asleep_ns)
		count_in_histogram(t, rt, SCP_STATE_SLEPT, units, weight);
	else if (weight && off->mark.runnable_ns)
		count_in_histogram(t, rt, SCP_STATE_LOST, units, weight);
}

static void add_squares(struct scp_states *s, uint64_t units, const struct switch_sums *off)
{
	sums_add_large_product(&s->runnable_sq_lo, &s->runnable_sq_hi, off->mark.runnable_ns,
			       off->mark.runnable_ns);
	sums_add_large_product(&s->asleep_sq_lo, &s->asleep_sq_hi, off->mark.asleep_ns,
			       off->mark.asleep_ns);
	sums_add_large_product(&s->runnable_asleep_lo, &s->runnable_asleep_hi,
			       off->mark.runnable_ns, off->mark.asleep_ns);
	sums_add_large_product(&s->units_runnable_lo, &s->units_runnable_hi, units,
			       off->mark.runnable_ns);
	sums_add_large_product(&s->units_asleep_lo, &s->units_asleep_hi, units,
			       off->mark.asleep_ns);
}

COLD void states_add(struct scp_thread *t, struct scp_rt *rt, uint64_t units,
		     const struct switch_sums *off)
{
	bool sampled = t->switches.detector == SCP_SWITCH_SAMPLED;
	if (!has_record(t, rt, units))
		return;
	struct scp_states *s = rt->states->record;
	s->readings += off->mark.weighted != 0;
	add_off_cpu(&s->off_cpu, units, off);
	if (sampled)
		s->off_cpu.known = 0;
	if (sampled && off->mark.count) {
		s->switched_weighted += off->mark.weighted;
	} else {
		s->calls++;
		s->units += units;
		sums_add_large_product(&s->units_sq_lo, &s->units_sq_hi, units, units);
	}
	add_squares(s, units, off);
	if (t->histograms)
		add_histograms(t, rt, units, off);
}

/* The slots before the record is made wait in private memory. */
static bool has_batches(struct scp_thread *t, struct scp_rt *rt, uint32_t slot)
{
	struct entry_states *s = rt->states;
	if (s->batches)
		return true;
	if (s->lost || slot < STATES_EARLY_SLOTS)
		return false;
	struct scp_state_batches *b = NULL;
	if (stack_room() >= STACK_TO_RECORD)
		b = new_record(t, rt, SCP_REC_STATE_BATCHES, sizeof *b);
	else
		process_loss(histogram_losses, 1);
	s->lost = !b;
	if (!b)
		return false;
	file_publish_record_at(&t->states_chunk, b, s->batches, b);
	return true;
}

/* The arrays of the record, one for each of the sums and in their order. */
static uint64_t *array_of(struct scp_state_batches *b, unsigned k)
{
	_Static_assert(offsetof(struct scp_state_batches, asleep_ns) -
				       offsetof(struct scp_state_batches, calls) ==
			       (STATE_SUMS - 1) * sizeof b->calls,
		       "one behind the other");
	return (uint64_t *)((char *)b + offsetof(struct scp_state_batches, calls)) +
	       k * SCP_BATCHES;
}

static void put_slot(struct scp_state_batches *b, uint32_t i, const struct state_sums *of)
{
	for (unsigned k = 0; k < STATE_SUMS; k++)
		array_of(b, k)[i] = of->sum[k];
}

COLD void states_close_batch(struct scp_thread *t, struct scp_rt *rt, uint32_t slot)
{
	struct entry_states *s = rt->states;
	const struct scp_states *r = s->record;
	const struct state_sums now = {{r->calls, r->units, r->off_cpu.known, r->off_cpu.weighted,
					r->off_cpu.runnable_ns, r->off_cpu.asleep_ns}};
	struct state_sums batch;
	bool begun = s->batches;
	for (unsigned k = 0; k < STATE_SUMS; k++)
		batch.sum[k] = now.sum[k] - s->batched.sum[k];
	s->batched = now;
	if (slot < STATES_EARLY_SLOTS)
		s->early[slot] = batch;
	if (!has_batches(t, rt, slot))
		return;
	for (uint32_t i = 0; !begun && i < slot && i < STATES_EARLY_SLOTS; i++)
		put_slot(s->batches, i, &s->early[i]);
	put_slot(s->batches, slot, &batch);
}

COLD void states_merge_pairs(struct scp_rt *rt)
{
	struct scp_state_batches *b = rt->states->batches;
	for (unsigned k = 0; b && k < STATE_SUMS; k++) {
		uint64_t *sum = array_of(b, k);
		for (unsigned i = 0; i < SCP_BATCHES; i++)
			sum[i] = i < SCP_BATCHES / 2 ? sum[2 * i] + sum[2 * i + 1] : 0;
	}
}
