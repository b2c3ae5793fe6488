// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums add up, warm-up is found entry by entry, and phases are those of one entry. */
#include "report/model/site_sums.h"

#include "report/model/estimate.h"
#include "stats/mean/mean_interval.h"
#include "stats/mean/phase_test.h"

bool site_sums_in_order(const struct profile *p, const struct prof_entry *e)
{
	return p->process[p->table[e->table].process].count <= 1;
}

/* Entries that are called in turn are sampled in turn, at almost one phase: after the
 * thread was away, say. Their samples together are not independent, and the test for
 * uniform phases would see a preference. So one entry's stand for all, the most. */
static void note_phases(struct site_sums *w, const struct prof_phase *phase)
{
	uint64_t samples = 0;

	for (unsigned i = 0; phase && i < SCP_PHASE_BINS; i++)
		samples += phase->count[i];
	if (samples <= w->phases)
		return;
	w->phase = *phase;
	w->phases = samples;
}

int site_sums_add(struct site_sums *w, const struct prof_sums *s, bool ordered, bool include)
{
	note_phases(w, s->phase);
	if (sums_add(&w->sums, s) < 0)
		return -1;
	return steadiness_add(&w->steady, s, ordered, include);
}

/* Where no entry has enough of them, all are the best there is. */
void site_sums_settle(struct site_sums *w)
{
	if (w->sums.phase && w->phases >= STATS_PHASE_LEAST)
		*w->sums.phase = w->phase;
}

void site_sums_clear(struct site_sums *w)
{
	sums_clear(&w->sums);
	steadiness_clear(&w->steady);
}

struct mean_interval site_sums_mean(const struct prof_clock *clock, const struct prof_sums *sums,
				    const struct prof_sums *rest, double confidence)
{
	struct stats_sample sample = estimate_sample(clock, sums, rest);

	return mean_interval_estimate(&sample, confidence);
}
