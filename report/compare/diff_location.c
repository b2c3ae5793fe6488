// SPDX-License-Identifier: GPL-3.0-or-later
/* Where most of a site's calls lie, in each run: what disturbs some of them does not move it. Of
 * all calls; or of those that kept their CPU, which interrupts and the host still disturb. */
#include "report/compare/diff.h"

#include <math.h>
#include <string.h>

#include "report/compare/match.h"
#include "report/model/sites.h"
#include "stats/compare/trimmed.h"

#define BUCKETS (SCP_HIST_BLOCKS * SCP_HIST_BUCKETS)

struct durations {
	const struct prof_clock *clock;
	struct report_overhead overhead;
	bool counted; /* `count` is their histogram */
	uint64_t count[BUCKETS];
	struct prof_batches batches; /* in `sum` */
	uint64_t sum[SCP_BATCHES];
};

static void take_all(struct durations *t, const struct prof_sums *sums)
{
	struct prof_hist room;
	const struct prof_hist *hist = hist_find(sums, &room);

	t->counted = hist != NULL;
	if (hist)
		memcpy(t->count, hist->count, sizeof(t->count));
	t->batches.calls = sums->batches.calls;
	t->batches.count = sums->batches.count;
	if (sums->batches.count)
		memcpy(t->sum, sums->batches.sum, sums->batches.count * sizeof(t->sum[0]));
}

/* What an abandoned detector saw is in the histogram; and of calls that were not asked nobody knows
 * whether they were switched. */
static void take_unswitched(struct durations *t, const struct prof_sums *sums)
{
	const struct prof_states *states = sums->states;
	const struct states_shared shared = {NAN, NAN, NAN, false}; /* nothing is needed of them */
	struct states_sample sample;
	struct prof_hist room;

	if (!states_sample(t->clock, sums, sums, &shared, &sample))
		return;
	t->counted = hist_is_known(sums) && !sample.sampled;
	if (t->counted)
		states_subtract_switched(hist_find(sums, &room),
					 states ? states->hist[SCP_STATE_SWITCHED] : NULL,
					 t->count);
	t->batches.calls = states_estimate_batches(&sample, t->sum, &t->batches.count);
	if (!t->batches.calls)
		t->batches.count = 0;
}

static void take(struct durations *t, const struct profile *p, const struct prof_sums *sums,
		 bool unswitched)
{
	struct report_overhead overhead = estimate_overhead(&p->clock);

	t->clock = &p->clock;
	t->overhead = estimate_overhead_around(&overhead, sums);
	t->counted = false;
	t->batches = (struct prof_batches){.sum = t->sum};
	if (!unswitched)
		take_all(t, sums);
	else if (!states_ticker_is_near(p))
		take_unswitched(t, sums);
}

/* Locations are comparable only if all runs have one. */
void diff_location_fill(const struct diff *d, const struct match_row *row, struct diff_run *run,
			bool unswitched, struct compare_mean *found)
{
	struct durations t;
	struct trimmed u;

	for (uint32_t i = 0; i < d->profiles; i++) {
		const struct prof_batches *b = &t.batches;
		double unit = d->profile[i]->clock.ns_per_unit;

		found[i] = (struct compare_mean){NAN, INFINITY, 0};
		if (!row->sums[i].calls)
			continue;
		take(&t, d->profile[i], &row->sums[i], unswitched);
		if (!t.counted ||
		    trimmed_mean(t.count, BUCKETS,
				 &(struct stats_batches){b->calls, b->count, b->sum}, &u) != 0)
			return;
		found[i] = (struct compare_mean){u.location * unit - t.overhead.inside_ns,
						 hypot(u.error * unit, t.overhead.inside_error_ns),
						 u.freedom};
		run[i].spread = u.spread;
	}
	for (uint32_t i = 0; i < d->profiles; i++)
		*(unswitched ? &run[i].unswitched_undisturbed : &run[i].undisturbed) = found[i];
}
