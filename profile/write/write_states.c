// SPDX-License-Identifier: GPL-3.0-or-later
/* The reverse of load_states.c. An entry has a record where the file's detector does not tell as
 * much: it has states, or is known by another detector, or is not known. */
#include "profile/write/image.h"

#include <string.h>

#include "profile/model/addition.h"

static void *state_record(struct image *img, uint32_t table, uint32_t type, uint64_t bytes)
{
	return image_optional_record(img, SCP_OPTIONAL_STATES, table + 1, type, bytes);
}

static void write_table(struct image *img, const struct prof_table_states *t, uint32_t table)
{
	struct scp_table_states *r = state_record(img, table, SCP_REC_TABLE_STATES, sizeof *r);

	if (!r)
		return;
	r->detector = t->detector;
	r->gaps = t->gaps;
	r->gap_units = t->gap_units;
	r->gap_off_cpu = t->gap_off_cpu;
	r->call_off_cpu = t->call_off_cpu;
	r->covered_ns = t->covered_ns;
	r->cpu_ns = t->cpu_ns;
	r->delay_covered_ns = t->delay_covered_ns;
	r->delay_ns = t->delay_ns;
	r->ran_ns = t->ran_ns;
	r->stolen_ns = t->stolen_ns;
	r->overcharged_ns = t->overcharged_ns;
	r->switches = t->switches;
	r->seq = t->torn;
}

static void fill(struct scp_states *r, const struct prof_states *t)
{
	r->from_calls = t->from_calls;
	r->from_units = t->from_units;
	r->calls = t->calls;
	r->units = t->units;
	image_split(t->units_sq, &r->units_sq_lo, &r->units_sq_hi);
	r->readings = t->readings;
	r->switched_weighted = t->switched_weighted;
	r->off_cpu = t->off_cpu;
	image_split(t->runnable_sq, &r->runnable_sq_lo, &r->runnable_sq_hi);
	image_split(t->asleep_sq, &r->asleep_sq_lo, &r->asleep_sq_hi);
	image_split(t->runnable_asleep, &r->runnable_asleep_lo, &r->runnable_asleep_hi);
	image_split(t->units_runnable, &r->units_runnable_lo, &r->units_runnable_hi);
	image_split(t->units_asleep, &r->units_asleep_lo, &r->units_asleep_hi);
}

static void write_batches(struct image *img, uint32_t table, uint32_t id,
			  const struct prof_state_batches *b, uint32_t slots)
{
	struct scp_state_batches *r = state_record(img, table, SCP_REC_STATE_BATCHES, sizeof *r);
	size_t bytes = slots * sizeof r->calls[0];

	if (!r)
		return;
	r->entry = id;
	memcpy(r->calls, b->calls, bytes);
	memcpy(r->units, b->units, bytes);
	memcpy(r->known, b->known, bytes);
	memcpy(r->weighted, b->weighted, bytes);
	memcpy(r->runnable_ns, b->runnable_ns, bytes);
	memcpy(r->asleep_ns, b->asleep_ns, bytes);
}

static void write_hist(struct image *img, uint32_t table, uint32_t id, uint32_t kind,
		       const struct prof_hist *hist)
{
	static const uint64_t none[SCP_HIST_BUCKETS];

	for (uint32_t block = 0; block < SCP_HIST_BLOCKS; block++) {
		const uint64_t *count = hist->count + block * SCP_HIST_BUCKETS;
		struct scp_hist *r;

		if (memcmp(count, none, sizeof none) == 0)
			continue;
		r = state_record(img, table, SCP_REC_STATE_HIST, sizeof *r);
		if (!r)
			return;
		r->entry = id;
		r->block = kind * SCP_HIST_BLOCKS + block;
		memcpy(r->count, count, sizeof r->count);
	}
}

static void write_entry(struct image *img, uint32_t table, uint32_t id, const struct prof_sums *s)
{
	const struct prof_states *t = s->states;
	struct scp_states *r = state_record(img, table, SCP_REC_STATES, sizeof *r);

	if (!r)
		return;
	r->entry = id;
	r->detector = s->detector;
	if (!t)
		return;
	fill(r, t);
	if (t->batches)
		write_batches(img, table, id, t->batches, s->batches.count);
	for (uint32_t kind = 0; kind < SCP_STATE_HISTS; kind++)
		if (t->hist[kind])
			write_hist(img, table, id, kind, t->hist[kind]);
}

void write_states(struct image *img, const struct profile *p, uint32_t table, const uint32_t *entry,
		  uint32_t entries)
{
	uint32_t implied = states_implied(&p->switches);

	if (p->table[table].states.detector != SCP_SWITCH_NONE)
		write_table(img, &p->table[table].states, table);
	for (uint32_t i = 0; i < entries; i++) {
		const struct prof_sums *s = &p->entry[entry[i]].sums;

		if (s->states || s->detector != implied)
			write_entry(img, table, i + 1, s);
	}
	if (img->chunk)
		image_close_chunk(img);
}
