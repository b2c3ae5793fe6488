// SPDX-License-Identifier: GPL-3.0-or-later
/* From the sums of each row in each profile to the estimates that its tests need. */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/sites.h"
#include "report/compare/match.h"
#include "report/model/model.h"
#include "stats/compare/trimmed.h"

/* The fastest calls are those of this share. */
#define QUICK 0.01

/* ---- where most of a site's calls lie, in each run: what disturbs some of them does not move it.
 * Of all calls; or of those that kept their CPU, which interrupts and the host still disturb ----
 */

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
	PROF_SET(&t->batches, &sums->batches, calls, count);
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
	t->clock = &p->clock;
	t->overhead = estimate_overhead_on(&p->clock, sums);
	t->counted = false;
	t->batches = (struct prof_batches){.sum = t->sum};
	if (!unswitched)
		take_all(t, sums);
	else if (!states_ticker_is_near(p))
		take_unswitched(t, sums);
}

/* Of a row, in all runs, into their `undisturbed` or `unswitched_undisturbed`: comparable only if
 * all have one. `found`: room for one a profile. */
static void fill_locations(const struct diff *d, const struct match_row *row, struct diff_run *run,
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

/* Few ticks as Poisson events that carry the same relative error. Events for each exposure are ns,
 * whatever the clock's tick. */
static void fill_count(struct diff_run *r, const struct mean_interval *e,
		       const struct prof_clock *c)
{
	r->few = !strcmp(e->method, "clopper-pearson");
	if (e->mean > 0 && e->error > 0) {
		r->count.events = e->mean / e->error * (e->mean / e->error);
		r->count.exposure = r->count.events / e->mean;
	} else {
		r->count.exposure = (double)r->calls / fmax(1, e->design_effect) / c->tick_ns;
	}
}

/* Never less than what the overhead may be off by: an empty call is no base of a ratio. */
static void fill_quick(struct diff_run *r, const struct prof_sums *sums, const struct profile *p,
		       const struct report_overhead *o)
{
	const uint32_t buckets = SCP_HIST_BLOCKS * SCP_HIST_BUCKETS;
	struct prof_hist room;
	const struct prof_hist *hist = hist_find(sums, &room);

	r->quick_ns = NAN;
	if (!hist)
		return;
	double units = histogram_quantile(hist->count, buckets, QUICK);
	/* Interpolation in the first bucket may pass the shortest call. */
	units = fmin(fmax(units, (double)sums->min_units), (double)sums->max_units);
	r->quick_ns = fmax(units * p->clock.ns_per_unit - o->inside_ns, 2 * o->inside_error_ns);
}

/* Where the time went, as the report has it. */
static void fill_states(struct diff_run *r, const struct prof_sums *sums, const struct profile *p,
			const struct states_shared *shared, double confidence)
{
	struct report_overhead overhead = estimate_overhead_on(&p->clock, sums);
	struct states_sample sample;

	r->unswitched = r->unswitched_undisturbed = (struct compare_mean){NAN, INFINITY, 0};
	r->unswitched_calls = r->runnable_ns = r->asleep_ns = NAN;
	if (!sums->calls || !states_sample(&p->clock, sums, sums, shared, &sample))
		return;
	if (!sums->states) { /* most of a million rows: none was switched */
		r->unswitched = r->mean;
		r->unswitched_unreliable = r->unreliable;
		r->unswitched_calls = (double)r->calls;
		r->runnable_ns = r->asleep_ns = 0;
		r->watched = true;
		return;
	}
	struct states_estimate e = states_estimate_means(&sample, confidence);
	r->watched = !sample.sampled;
	r->unswitched_calls = fmax((double)sample.elapsed.sums.n - e.switched, 0);
	r->runnable_ns = e.runnable.mean;
	r->asleep_ns = e.asleep.mean;
	if (!(r->unswitched_calls > 0) || isnan(e.unswitched.mean))
		return;
	estimate_compensate(&e.unswitched, &overhead, confidence);
	r->unswitched =
		(struct compare_mean){e.unswitched.mean, e.unswitched.error, e.unswitched.freedom};
	r->unswitched_unreliable = e.unswitched.unreliable;
}

static void fill_run(struct diff_run *r, const struct prof_sums *sums, const struct profile *p,
		     double confidence)
{
	const struct prof_clock *clock = &p->clock;
	struct report_overhead overhead = estimate_overhead_on(clock, sums);

	r->undisturbed = (struct compare_mean){NAN, INFINITY, 0};
	r->calls = sums->calls;
	if (!sums->calls)
		return;
	struct mean_interval e = site_sums_mean(clock, sums, sums, confidence);
	fill_count(r, &e, clock);
	estimate_compensate(&e, &overhead, confidence);
	r->mean = (struct compare_mean){e.mean, e.error, e.freedom};
	PROF_SET(r, &e, design_effect, unreliable);
	r->total_ns =
		(double)sums->units * clock->ns_per_unit - (double)sums->calls * overhead.inside_ns;
	fill_quick(r, sums, p, &overhead);
}

bool diff_estimate_has_states(const struct diff *d, const struct diff_run *run)
{
	for (uint32_t i = 0; i < d->profiles; i++)
		if (run[i].calls && isnan(run[i].unswitched_calls))
			return false;
	return true;
}

/* Calls of which it is not known whether they were switched have locations with the others. */
static bool is_watched(const struct diff *d, const struct diff_run *run)
{
	for (uint32_t i = 0; i < d->profiles; i++)
		if (run[i].calls && !run[i].watched)
			return false;
	return true;
}

/* What all rows need. */
struct room {
	struct states_shared *shared; /* of each profile */
	struct compare_mean *found;   /* a location for each profile */
};

static void fill_row(struct diff *d, const struct match_row *row, struct diff_run *run,
		     const struct room *room)
{
	for (uint32_t i = 0; i < d->profiles; i++) {
		fill_run(&run[i], &row->sums[i], d->profile[i], d->options.confidence);
		fill_states(&run[i], &row->sums[i], d->profile[i], &room->shared[i],
			    d->options.confidence);
	}
	fill_locations(d, row, run, is_watched(d, run), room->found);
}

int diff_estimate_fill_runs(struct diff *d)
{
	size_t rows = d->match->rows;
	struct room room = {calloc(d->profiles, sizeof(*room.shared)),
			    calloc(d->profiles, sizeof(*room.found))};

	d->runs = calloc(rows * d->profiles + 1, sizeof(*d->runs));
	int status = d->runs && room.shared && room.found ? 0 : -1;
	for (uint32_t i = 0; i < d->profiles && !status; i++)
		room.shared[i] = states_find_shared(d->profile[i]);
	for (size_t i = 0; i < rows && !status; i++)
		fill_row(d, &d->match->row[i], &d->runs[i * d->profiles], &room);
	PROF_FREE(&room, shared, found);
	return status;
}

enum diff_quantity diff_estimate_quantity(enum diff_view view)
{
	return view >= DIFF_UNSWITCHED ? DIFF_CPU_TIME : DIFF_ELAPSED;
}

/* Of how many calls the estimate of a view is. */
static double calls_of(const struct diff_run *r, enum diff_view view)
{
	return diff_estimate_quantity(view) == DIFF_CPU_TIME ? r->unswitched_calls
							     : (double)r->calls;
}

struct compare_mean diff_estimate(const struct diff_run *r, enum diff_view view)
{
	const struct compare_mean *of[] = {
		[DIFF_MEAN] = &r->mean,
		[DIFF_UNDISTURBED] = &r->undisturbed,
		[DIFF_UNSWITCHED] = &r->unswitched,
		[DIFF_UNSWITCHED_UNDISTURBED] = &r->unswitched_undisturbed,
	};

	return *of[view];
}

bool diff_estimate_log(const struct diff_run *r, enum diff_view view, double *y, double *v)
{
	struct compare_mean m = diff_estimate(r, view);
	bool known = calls_of(r, view) >= DIFF_LEAST_CALLS && m.mean > 0 &&
		     (view == DIFF_MEAN || isfinite(m.error));

	*y = known ? log(m.mean) : NAN;
	*v = known ? m.error / m.mean * (m.error / m.mean) : NAN;
	return known;
}

/* Where more calls are switched, or the variance of calls is not known, those that were not are
 * compared with all of them, less the time that these waited. */
#define MOST_CHOSEN 0.2

/* Long calls are switched more often than short ones: to first order, the mean of those that were
 * not lies below that of all by -ln(1 - s) v of it, s being the share of switched calls and v the
 * relative variance of calls. */
static double chosen(const struct diff_run *r)
{
	double share = 1 - r->unswitched_calls / (double)r->calls;
	double on_cpu = r->mean.mean - r->runnable_ns - r->asleep_ns;

	if (!(share > 0))
		return 0;
	if (share <= MOST_CHOSEN && r->spread > 0)
		return -log1p(-share) * r->spread;
	return on_cpu > 0 && r->unswitched.mean > 0 ? log(on_cpu / r->unswitched.mean) : 0;
}

double diff_estimate_margin(const struct diff *d, const struct diff_site *s, enum diff_view view)
{
	double margin = log1p(d->options.min_change), mean[2] = {0, 0}, runs[2] = {0, 0};

	if (diff_estimate_quantity(view) != DIFF_CPU_TIME)
		return margin;
	for (uint32_t i = 0; i < d->profiles; i++) {
		int side = i >= d->bases;

		if (!(calls_of(&s->run[i], view) >= DIFF_LEAST_CALLS))
			continue;
		runs[side]++;
		mean[side] += (chosen(&s->run[i]) - mean[side]) / runs[side];
	}
	return margin + fabs(mean[1] - mean[0]);
}

bool diff_estimate_may_stay(const struct diff_site *s, enum diff_view view)
{
	return s->states && view == DIFF_MEAN;
}

static const char *doubt(const struct diff_run *r, enum diff_view view)
{
	unsigned of = view == DIFF_MEAN		? r->unreliable
		      : view == DIFF_UNSWITCHED ? r->unswitched_unreliable
						: 0;

	if (!of)
		return NULL;
	return reliability_name(of & STATS_FEW_INDEPENDENT ? STATS_FEW_INDEPENDENT
							   : STATS_HEAVY_TAIL);
}

/* With several runs the error follows from their scatter, whatever warnings a single one has; only
 * what is wrong in each of them alike remains. */
const char *diff_estimate_hindrance(const struct diff *d, const struct diff_site *s,
				    enum diff_view view)
{
	bool several = d->profiles > 2;
	const char *found = NULL;

	if (diff_estimate_quantity(view) == DIFF_CPU_TIME && !s->states)
		return DIFF_NO_STATES;
	for (const struct diff_run *r = s->run; r < s->run + d->profiles; r++) {
		struct compare_mean m = diff_estimate(r, view);

		if (!r->calls)
			continue;
		if (r->unreliable & STATS_SYNCHRONOUS)
			return reliability_name(STATS_SYNCHRONOUS);
		if (several)
			continue;
		if (!(calls_of(r, view) > 0))
			return DIFF_SWITCHED;
		if (doubt(r, view))
			found = doubt(r, view);
		if (calls_of(r, view) < (double)diff_pair_calls(d))
			found = DIFF_FEW_CALLS;
		if (!found && (!isfinite(m.error) || !(m.freedom > 0)))
			found = r->few ? DIFF_FEW_TICKS : DIFF_FEW_CALLS;
	}
	return found;
}
