// SPDX-License-Identifier: GPL-3.0-or-later
/* The statistics are stats/mean/states.h; here is which calls they are of, and what the wrapper and
 * the host add. */
#include "report/model/model.h"
#include "report/model/sites.h"

#include <math.h>

#define BUCKETS (SCP_HIST_BLOCKS * SCP_HIST_BUCKETS)
/* Of the readings, with the ticker on the thread's CPU: means of calls that kept their CPU are too
 * low by about that share. */
#define NEAR_MOST 0.02

bool states_ticker_is_near(const struct profile *p)
{
	return p->clock.kind == SCP_CLOCK_PAGE &&
	       (double)p->ticker_near > NEAR_MOST * (double)p->ticker_readings;
}

struct states_shared states_find_shared(const struct profile *p)
{
	double ran, stolen = steal_share(p, 0, &ran), weighted = 0, runnable = 0, asleep = 0;

	for (uint32_t i = 0; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;

		weighted += (double)s->call_off_cpu.weighted;
		runnable += (double)s->call_off_cpu.runnable_ns;
		asleep += (double)s->call_off_cpu.asleep_ns;
	}
	return (struct states_shared){stolen, runnable / weighted, asleep / weighted,
				      states_ticker_is_near(p)};
}

void states_find_stolen(struct report *r)
{
	struct report_threads_time *t = &r->threads_time;

	r->shared = states_find_shared(r->profile);
	t->stolen_share = r->shared.stolen_share;
	t->stolen_share_error = steal_share_error(r->profile, t->stolen_share);
}

double states_asleep_stolen(double share, const struct scp_off_cpu *o)
{
	if (!(share > 0 && share < 1) || !o->asleep_ns)
		return 0;
	return fmin(share / (1 - share) * (double)o->ran_ns / (double)o->asleep_ns, 1);
}

static void add_states(struct states_sample *to, const struct states_shared *shared,
		       const struct prof_sums *rest)
{
	const struct prof_states *t = rest->states;
	const struct prof_state_batches *b = t->batches;
	const struct scp_off_cpu *o = &t->off_cpu;

	PROF_SET(to, t, calls, units, units_sq, readings, switched_weighted);
	PROF_SET(to, t, runnable_sq, asleep_sq, runnable_asleep, units_runnable, units_asleep);
	PROF_SET(to, t, moved_runnable, moved_asleep);
	PROF_SET(to, o, known, weighted);
	to->runnable = (double)o->runnable_ns;
	to->asleep = (double)o->asleep_ns;
	to->asleep_stolen = states_asleep_stolen(shared->stolen_share, o);
	PROF_SET(to, shared, others_runnable, others_asleep);
	if (b)
		to->batches = (struct states_batches){b->calls,	   b->units,	   b->known,
						      b->weighted, b->runnable_ns, b->asleep_ns};
}

void states_subtract_switched(const struct prof_hist *all, const struct prof_blocks *switched,
			      uint64_t *count)
{
	for (uint32_t i = 0; i < BUCKETS; i++) {
		uint64_t off = switched ? hist_count(switched, i) : 0;

		count[i] = all->count[i] - (off < all->count[i] ? off : all->count[i]);
	}
}

static void fill_charged(const struct report *r, struct report_states *to)
{
	double share = r->threads_time.stolen_share, error = r->threads_time.stolen_share_error;
	const struct mean_interval *from = &to->on_cpu;
	struct mean_interval *c = &to->charged;

	*c = *from;
	if (isnan(share))
		error = share =
			0; /* no thread was seen to be on a CPU without what it was charged */
	error = isnan(error) ? 0 : fabs(from->mean) * error;
	c->mean = from->mean * (1 - share);
	c->low = c->mean -
		 estimate_widen((from->mean - from->low) * (1 - share), error, r->confidence);
	c->high = c->mean +
		  estimate_widen((from->high - from->mean) * (1 - share), error, r->confidence);
	c->error = hypot(from->error * (1 - share), error);
}

static void clear(struct report_states *to)
{
	const struct mean_interval none = mean_interval_within(NAN, NAN, NAN);

	*to = (struct report_states){.unswitched = none,
				     .on_cpu = none,
				     .runnable = none,
				     .asleep = none,
				     .charged = none,
				     .most_on_cpu_ns = INFINITY,
				     .switched_share = NAN};
}

/* Of calls that nobody asked nothing is known, nor of rows with calls from before the detector. */
static bool is_known(const struct prof_sums *rest)
{
	const struct prof_states *t = rest->states;

	if (!rest->calls || rest->detector == SCP_SWITCH_NONE)
		return false;
	if (rest->detector == SCP_SWITCH_SAMPLED && (!t || !t->off_cpu.weighted))
		return false;
	return !t || !t->from_calls;
}

bool states_sample(const struct prof_clock *c, const struct prof_sums *sums,
		   const struct prof_sums *rest, const struct states_shared *shared,
		   struct states_sample *to)
{
	if (!is_known(rest))
		return false;
	*to = (struct states_sample){.sampled = rest->detector == SCP_SWITCH_SAMPLED,
				     .ticker_near = shared->ticker_near};
	to->elapsed = estimate_sample(c, sums, rest);
	if (rest->states)
		add_states(to, shared, rest);
	return true;
}

static void fill_means(const struct report *r, struct report_site *s,
		       const struct states_estimate *e, const struct report_overhead *off)
{
	struct report_states *to = &s->states;

	PROF_SET(to, e, unswitched, on_cpu, runnable, asleep);
	if (!isnan(to->unswitched.mean))
		estimate_compensate(&to->unswitched, off, r->confidence);
	estimate_compensate(&to->on_cpu, off, r->confidence);
	to->on_cpu.mean = s->estimate.mean - to->runnable.mean - to->asleep.mean;
	fill_charged(r, to);
}

/* Most of a million rows: all of the mean is on the CPU, and what it is is known. */
static void none_switched(const struct report *r, struct report_site *s,
			  const struct prof_sums *rest)
{
	struct report_states *to = &s->states;
	const struct mean_interval none = mean_interval_within(0, 0, INFINITY);

	to->known = true;
	to->calls = rest->calls;
	to->switched_share = 0;
	to->unswitched = to->on_cpu = s->estimate;
	to->runnable = to->asleep = none;
	fill_charged(r, to);
}

void states_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		 const struct prof_sums *rest)
{
	struct report_states *to = &s->states;
	struct states_sample sample;
	struct report_overhead off = estimate_overhead_around(&r->overhead, sums);

	clear(to);
	if (is_known(rest) && !rest->states)
		none_switched(r, s, rest);
	if (!rest->states || !states_sample(&r->profile->clock, sums, rest, &r->shared, &sample))
		return;
	struct states_estimate e = states_estimate_means(&sample, r->confidence);
	to->known = true;
	to->estimated = sample.sampled;
	to->calls = sample.elapsed.sums.n;
	to->switched_calls = (uint64_t)fmin(round(e.switched), (double)to->calls);
	to->switched_share = fmin(e.switched / (double)to->calls, 1);
	to->readings = sample.readings;
	fill_means(r, s, &e, &off);
}

double site_cpu_ns(const struct report_site *s)
{
	double ns = s->states.known ? s->states.on_cpu.mean * (double)s->calls : NAN;

	return ns > s->total_ns && s->total_ns > 0 ? s->total_ns : ns;
}

double states_most_on_cpu(const struct report *r, const struct prof_table *t)
{
	const struct report_threads_time *all = &r->threads_time;
	double time = (double)t->time_units * r->profile->clock.ns_per_unit;
	double stolen = fmax(all->stolen_share, 0) +
			estimate_widen(0, fmax(all->stolen_share_error, 0), r->confidence);

	if (t->states.torn || stolen >= 1)
		return INFINITY;
	return (double)t->states.cpu_ns / (1 - stolen) +
	       fmax(time - (double)t->states.covered_ns, 0);
}

bool states_any(const struct report *r)
{
	for (uint32_t i = 0; i < r->sites; i++)
		if (r->site[i].states.known)
			return true;
	return false;
}

unsigned states_doubts(const struct report_states *t)
{
	return t->unswitched.unreliable | t->on_cpu.unreliable | t->runnable.unreliable |
	       t->asleep.unreliable;
}

void states_fill_bars(struct report_site *s, const struct prof_sums *sums)
{
	const struct prof_states *t = sums->states;
	const struct prof_blocks *hist = t ? t->hist[SCP_STATE_SWITCHED] : NULL;

	if (!s->states.known || !hist)
		return;
	for (struct report_bar *b = s->bar; b < s->bar + s->bars; b++) {
		uint64_t switched = hist_count(hist, b->bucket);

		b->switched = switched < b->calls ? switched : b->calls;
	}
}
