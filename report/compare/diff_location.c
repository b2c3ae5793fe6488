// SPDX-License-Identifier: GPL-3.0-or-later
/* Where most of a site's calls lie, in each run: what disturbs some of them does not move it. Of
 * all calls; or of those that kept their CPU, which interrupts and the host still disturb. */
#include "report/compare/diff.h"

#include <math.h>
#include <string.h>

#include "report/compare/match.h"
#include "report/model/sites.h"
#include "stats/compare/biweight.h"

/* Fewer ticks in a batch make its sum too coarse for an estimate of location. */
#define TICKS_IN_BATCH 10
#define BUCKETS	       (SCP_HIST_BLOCKS * SCP_HIST_BUCKETS)

/* One run's calls. */
struct durations {
	const struct prof_clock *clock;
	struct report_overhead overhead;
	bool counted; /* `count` is their histogram */
	uint64_t count[BUCKETS];
	struct prof_batches batches; /* in `sum`, to be changed */
	uint64_t sum[SCP_BATCHES];
	uint64_t doubled; /* batches of how many calls, before the switched ones were left out */
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
	t->counted = hist_is_known(sums) && !sample.sampled && !(states && states->from_calls);
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
	t->doubled = sums->batches.calls;
	if (!unswitched)
		take_all(t, sums);
	else if (!states_ticker_is_near(p))
		take_unswitched(t, sums);
}

/* Batches of the largest size that any run of the site has. */
static uint64_t common_size(const struct prof_sums *sums, uint32_t profiles)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < profiles; i++)
		if (sums[i].batches.count && sums[i].batches.calls > calls)
			calls = sums[i].batches.calls;
	return calls;
}

static bool by_batches(struct durations *t, uint64_t size, struct biweight *u)
{
	uint64_t resolution = t->clock->resolution_units ? t->clock->resolution_units : 1;
	struct prof_batches *b = &t->batches;

	if (!b->count || !t->doubled)
		return false;
	biweight_enlarge(b->sum, &b->count, &b->calls, b->calls * (size / t->doubled));
	return biweight_location(&(struct stats_batches){b->calls, b->count, b->sum}, u) == 0 &&
	       u->location * (double)b->calls >= TICKS_IN_BATCH * (double)resolution;
}

static bool by_calls(const struct durations *t, struct biweight *u)
{
	const struct prof_batches *b = &t->batches;

	return t->counted &&
	       trimmed_mean(t->count, BUCKETS, &(struct stats_batches){b->calls, b->count, b->sum},
			    u) == 0;
}

static struct compare_mean in_ns(const struct biweight *u, const struct durations *t)
{
	double unit = t->clock->ns_per_unit;

	return (struct compare_mean){u->location * unit - t->overhead.inside_ns,
				     hypot(u->error * unit, t->overhead.inside_error_ns),
				     u->freedom};
}

/* Which locations of a row. */
struct wanted {
	bool unswitched, calls; /* of calls, or of batches */
};

/* Relative, squared, of all runs together; INFINITY where one of them has none. */
static double locate(const struct diff *d, const struct match_row *row, struct wanted w,
		     struct diff_run *run, struct compare_mean *m)
{
	uint64_t size = common_size(row->sums, d->profiles);
	struct durations t;
	struct biweight u;
	double sum = 0;

	for (uint32_t i = 0; i < d->profiles; i++) {
		m[i] = (struct compare_mean){NAN, INFINITY, 0};
		if (!row->sums[i].calls)
			continue;
		take(&t, d->profile[i], &row->sums[i], w.unswitched);
		if (!(w.calls ? by_calls(&t, &u) : by_batches(&t, size, &u)))
			return INFINITY;
		m[i] = in_ns(&u, &t);
		if (w.calls)
			run[i].spread = u.spread;
		sum += m[i].error / m[i].mean * (m[i].error / m[i].mean);
	}
	return sum;
}

static bool has_histograms(const struct diff *d, const struct match_row *row)
{
	for (uint32_t i = 0; i < d->profiles; i++)
		if (row->sums[i].calls && !hist_is_known(&row->sums[i]))
			return false;
	return true;
}

/* For sites where nearly all batches are disturbed, but not all calls. */
static bool agree(const struct diff *d, const struct compare_mean *calls,
		  const struct compare_mean *batches)
{
	for (uint32_t i = 0; i < d->profiles; i++)
		if (fabs(batches[i].mean - calls[i].mean) > 2 * calls[i].error)
			return false;
	return true;
}

/* Locations are comparable only if all runs have the same kind: the more precise one that all
 * have, or none. */
void diff_location_fill(const struct diff *d, const struct match_row *row, struct diff_run *run,
			bool unswitched, struct compare_mean *two)
{
	struct compare_mean *calls = two, *batches = calls + d->profiles, *better = calls;
	double of_calls = locate(d, row, (struct wanted){unswitched, true}, run, calls);
	double of_batches = locate(d, row, (struct wanted){unswitched, false}, run, batches);
	bool some = isfinite(of_calls);

	if (!has_histograms(d, row)) {
		some = isfinite(of_batches);
		better = batches;
	} else if (of_batches < of_calls && agree(d, calls, batches)) {
		better = batches;
	}
	for (uint32_t i = 0; i < d->profiles && some; i++) {
		if (unswitched)
			run[i].unswitched_undisturbed = better[i];
		else
			run[i].undisturbed = better[i];
	}
}
