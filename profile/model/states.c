// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/model/states.h"

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
	bool known = states_sees_all(s->detector) && !(s->flags & SCP_SWITCH_MIXED);

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
	to->verified += from->verified;
	to->missed += from->missed;
	to->unfounded += from->unfounded;
	to->readings += from->readings;
	to->reading_ns += from->reading_ns;
}

/* Switched calls are among all, in every bucket. */
static bool hist_fits(const struct prof_hist *all, const struct prof_hist *switched)
{
	for (uint32_t i = 0; i < SCP_HIST_BLOCKS * SCP_HIST_BUCKETS; i++)
		if (switched->count[i] > all->count[i])
			return false;
	return true;
}

bool states_fit(const struct prof_sums *s)
{
	const struct prof_states *t = s->states;
	uint64_t calls = s->calls - t->from_calls, readings = t->calls;

	if (t->from_calls > s->calls || t->from_units > s->units)
		return false;
	if (t->calls > calls || t->units > s->units - t->from_units || t->units_sq > s->units_sq)
		return false;
	if (t->detector == SCP_SWITCH_SAMPLED)
		readings = calls - t->calls; /* those were asked, and not switched */
	else if (s->hist && t->hist[SCP_STATE_SWITCHED] &&
		 !hist_fits(s->hist, t->hist[SCP_STATE_SWITCHED]))
		return false;
	return t->readings <= readings;
}

void states_settle_table(struct prof_table_states *t)
{
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
		free(t->hist[i]);
	free(t);
}
