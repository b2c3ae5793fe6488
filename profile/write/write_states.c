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
	PROF_COPY_RUN(r, gaps, overcharged_ns, t, gaps, overcharged_ns);
	r->seq = t->torn;
}

static void write_batches(struct image *img, uint32_t table, uint32_t id,
			  const struct prof_state_batches *b)
{
	struct scp_state_batches *r = state_record(img, table, SCP_REC_STATE_BATCHES, sizeof *r);

	if (!r)
		return;
	r->entry = id;
	PROF_COPY_RUN(r, calls, asleep_ns, b, calls, asleep_ns);
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
	PROF_COPY_RUN(r, from_calls, units_asleep_hi, t, from_calls, units_asleep);
	if (t->batches)
		write_batches(img, table, id, t->batches);
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
