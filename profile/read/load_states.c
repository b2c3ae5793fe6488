// SPDX-License-Identifier: GPL-3.0-or-later
/* States that contradict their entry are left out, and the entry's detector is NONE then: a live
 * entry may be torn, and a damaged file may say anything.
 */
#include "profile/read/load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/addition.h"

static struct prof_states *states_of(const struct scp_states *r, uint32_t detector)
{
	struct prof_states *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->detector = detector;
	PROF_COPY_RUN(t, from_calls, units_asleep, r, from_calls, units_asleep_hi);
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

/* *sound becomes false where they contradict the sums. Those of a detector that was given up may.
 */
static int load_batches(const struct raw_file *raw, const struct raw_ref *ref,
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
	free(b);
	s->states->batches = NULL;
	return 0;
}

static int load_hists(const struct raw_file *raw, const struct raw_ref *ref, struct prof_states *t)
{
	static const uint64_t none[SCP_HIST_BUCKETS];

	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_STATE_HISTS; i++) {
		const struct scp_hist *r = load_block(raw, SCP_REC_STATE_HIST, ref, i);
		struct prof_hist **hist = &t->hist[i / SCP_HIST_BLOCKS];

		if (!r || memcmp(r->count, none, sizeof none) == 0)
			continue;
		if (!*hist && !(*hist = calloc(1, sizeof **hist)))
			return -1;
		memcpy((*hist)->count + i % SCP_HIST_BLOCKS * SCP_HIST_BUCKETS, r->count,
		       sizeof r->count);
	}
	return 0;
}

/* A thread without one, in a process that has one or gave it up: nothing is known of its calls but
 * what was asked. Nor of those that only the one that was given up saw. */
static bool lost_detector(const struct raw_file *raw, uint32_t table, uint32_t detector)
{
	const struct raw_list *list = &raw->list[SCP_REC_TABLE_STATES];
	uint32_t i = raw_find(list, table, 0, 0);

	const struct scp_table_states *t;

	if (raw_header(raw)->flags & SCP_FILE_MERGED || i == PROF_NONE)
		return false;
	t = raw_record(raw, &list->ref[i]);
	return !states_sees_all(t->detector) ||
	       (raw_header(raw)->switches.flags & SCP_SWITCH_MISSED && detector != t->detector);
}

int load_states_of_entry(const struct raw_file *raw, const struct raw_ref *entry,
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
	if (!out->states || load_batches(raw, entry, out, &sound) ||
	    load_hists(raw, entry, out->states))
		return -1;
	if (!sound)
		states_drop(out);
	states_settle(out);
	return 0;
}

void load_states_of_table(const struct raw_file *raw, uint32_t table, struct prof_table_states *out)
{
	const struct raw_list *list = &raw->list[SCP_REC_TABLE_STATES];
	uint32_t i = raw_find(list, table, 0, 0);
	const struct scp_table_states *r;

	if (i == PROF_NONE)
		return;
	r = raw_record(raw, &list->ref[i]);
	out->detector = states_detector(r->detector);
	out->torn = r->seq & 1;
	PROF_COPY_RUN(out, gaps, overcharged_ns, r, gaps, overcharged_ns);
	states_settle_table(out);
}
