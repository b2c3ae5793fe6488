// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/model/addition.h"

#include <stdlib.h>

uint32_t states_detector(uint64_t detector)
{
	return detector <= SCP_SWITCH_PERF ? (uint32_t)detector : SCP_SWITCH_NONE;
}

bool states_sees_all(uint32_t detector)
{
	return detector == SCP_SWITCH_RSEQ || detector == SCP_SWITCH_PERF;
}

uint32_t states_implied(const struct scp_switches *s)
{
	/* Calls before a detector was given up may have been switched all the same. */
	bool known = states_sees_all(s->detector) &&
		     !(s->flags & (SCP_SWITCH_MIXED | SCP_SWITCH_MISSED));

	return known ? s->detector : SCP_SWITCH_NONE;
}

void states_join_switches(struct scp_switches *to, const struct scp_switches *from, bool first)
{
	uint32_t detector = states_detector(from->detector);

	if (first)
		to->detector = detector;
	if (detector != to->detector)
		to->flags |= SCP_SWITCH_MIXED;
	if (detector < to->detector)
		to->detector = detector;
	to->flags |= from->flags;
	PROF_ADD(to, from, verified, missed, unfounded, readings, reading_ns);
}

static bool fits(const struct prof_sums *s)
{
	const struct prof_states *t = s->states;
	uint64_t calls = s->calls - t->from_calls;

	if (t->from_calls > s->calls || t->from_units > s->units)
		return false;
	if (t->calls > calls || t->units > s->units - t->from_units || t->units_sq > s->units_sq)
		return false;
	return t->readings <= (t->detector == SCP_SWITCH_SAMPLED ? calls : t->calls);
}

/* Switched calls are among all, in every bucket. A block of all may have found no room. */
static void cut(struct prof_blocks *switched, const struct prof_hist *all)
{
	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_HIST_BUCKETS; i++)
		if (hist_count(switched, i) > all->count[i])
			switched->block[i / SCP_HIST_BUCKETS][i % SCP_HIST_BUCKETS] = all->count[i];
}

static bool same_kind(uint32_t a, uint32_t b)
{
	return a == b || (states_sees_all(a) && states_sees_all(b));
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t states_joint_detector(const struct prof_sums *a, const struct prof_sums *b)
{
	if (!b->calls || (a->calls && b->detector == SCP_SWITCH_NONE))
		return a->detector;
	if (!a->calls || a->detector == SCP_SWITCH_NONE)
		return b->detector;
	return same_kind(a->detector, b->detector) ? lesser(a->detector, b->detector)
						   : SCP_SWITCH_NONE;
}

static void add_off_cpu(struct scp_off_cpu *to, const struct scp_off_cpu *from)
{
	PROF_ADD(to, from, known, weighted, runnable_ns, asleep_ns, ran_ns, waits);
}

static int add_hists(struct prof_states *to, const struct prof_states *from)
{
	for (int k = 0; k < SCP_STATE_HISTS; k++)
		if (hist_add_blocks(&to->hist[k], from->hist[k], 1))
			return -1;
	return 0;
}

static int add_sums(struct prof_states *to, const struct prof_states *from)
{
	PROF_ADD(to, from, from_calls, from_units, calls, units, units_sq, readings,
		 switched_weighted, runnable_sq, asleep_sq, runnable_asleep, units_runnable,
		 units_asleep, moved_runnable, moved_asleep);
	add_off_cpu(&to->off_cpu, &from->off_cpu);
	return add_hists(to, from);
}

/* Has it calls of which nothing is known? */
static bool is_unknown(const struct prof_sums *s)
{
	return s->calls && s->detector == SCP_SWITCH_NONE;
}

static void leave_out(struct prof_states *t, const struct prof_sums *s)
{
	if (!is_unknown(s))
		return;
	t->from_calls += s->calls;
	t->from_units += s->units;
}

void states_add(struct prof_sums *dst, const struct prof_sums *src,
		struct prof_state_batches *batches)
{
	uint32_t detector = states_joint_detector(dst, src);
	bool some = dst->states || src->states || is_unknown(dst) || is_unknown(src);

	if (detector == SCP_SWITCH_NONE || !some) {
		states_drop(dst);
		dst->detector = detector;
		free(batches);
		return;
	}
	if (!dst->states)
		dst->states = calloc(1, sizeof *dst->states);
	if (!dst->states) {
		free(batches);
		states_drop(dst);
		return;
	}
	leave_out(dst->states, dst);
	leave_out(dst->states, src);
	free(dst->states->batches);
	dst->states->batches = batches;
	dst->states->detector = dst->detector = detector;
	if (src->states && add_sums(dst->states, src->states))
		states_drop(dst);
}

void states_settle(struct prof_sums *s)
{
	struct prof_hist room;
	struct prof_blocks *switched = s->states ? s->states->hist[SCP_STATE_SWITCHED] : NULL;

	if (s->states && !fits(s))
		states_drop(s);
	else if (switched && hist_is_known(s) && s->detector != SCP_SWITCH_SAMPLED)
		cut(switched, hist_find(s, &room));
}

void states_add_table(struct prof_table_states *to, const struct prof_table_states *from)
{
	if (!same_kind(to->detector, from->detector)) {
		*to = (struct prof_table_states){0};
		return;
	}
	to->detector = lesser(to->detector, from->detector);
	to->torn = to->torn || from->torn;
	add_off_cpu(&to->gap_off_cpu, &from->gap_off_cpu);
	add_off_cpu(&to->call_off_cpu, &from->call_off_cpu);
	PROF_ADD(to, from, gaps, gap_units, covered_ns, cpu_ns, delay_covered_ns, delay_ns, ran_ns,
		 stolen_ns, overcharged_ns, switches);
	states_settle_table(to);
}

void states_settle_table(struct prof_table_states *t)
{
	if (t->overcharged_ns > t->ran_ns)
		t->overcharged_ns = t->ran_ns;
	if (t->detector == SCP_SWITCH_NONE || t->stolen_ns > t->ran_ns)
		*t = (struct prof_table_states){0};
}

void states_drop(struct prof_sums *s)
{
	states_free(s->states);
	s->states = NULL;
	s->detector = SCP_SWITCH_NONE;
}

void states_free(struct prof_states *t)
{
	if (!t)
		return;
	free(t->batches);
	for (int i = 0; i < SCP_STATE_HISTS; i++)
		hist_free(t->hist[i]);
	free(t);
}
