// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the threads' time went: gaps between calls, threads, processes, and
 * the check that nothing is missing. Readings of one clock telescope, so in
 * every table   calls - nested + gaps + recording = time   holds to the unit. */
#include "report/model/model.h"

#include <math.h>
#include <stdlib.h>

#include "report/containers/string_index.h"
#include "report/model/sites.h"

struct gap_sums {
	uint64_t calls, units, max_units;
	prof_u128 units_sq;
};

ARRAY_COMPARE(compare_gaps, struct report_gap,
	      PROF_ORDER(b, a, units, calls) ?: PROF_ORDER(a, b, from, to))

static void fill_gap(const struct report *r, struct report_gap *g, struct pair pair,
		     const struct gap_sums *of)
{
	double unit = r->profile->clock.ns_per_unit;
	struct prof_sums sums = {0};

	g->from = pair.a;
	g->to = pair.b;
	PROF_SET(g, of, calls, units);
	PROF_SET(&sums, of, calls, units, units_sq, max_units);
	g->estimate = site_sums_mean(&r->profile->clock, &sums, &sums, r->confidence);
	g->max_ns = (double)of->max_units * unit;
	g->total_ns = (double)of->units * unit;
	g->share = r->time_ns > 0 ? g->total_ns / r->time_ns : NAN;
}

static bool leaves_out(const struct profile *p, uint32_t entry)
{
	return entry < p->entries && profile_leaves_out(p, p->entry[entry].path);
}

int account_gaps(struct report *r, const uint32_t *site_of)
{
	const struct profile *p = r->profile;
	struct gap_sums *sums = calloc((size_t)p->gaps + 1, sizeof(*sums));
	struct pairs pairs = {0};
	uint32_t number = sums ? 0 : PAIRS_NONE;

	for (uint32_t i = 0; number != PAIRS_NONE && i < p->gaps; i++) {
		const struct prof_gap *g = &p->gap[i];

		if (leaves_out(p, g->from) || leaves_out(p, g->to))
			continue;
		number = pairs_add(&pairs, g->from < p->entries ? site_of[g->from] : PROF_NONE,
				   g->to < p->entries ? site_of[g->to] : PROF_NONE);
		if (number == PAIRS_NONE)
			break;
		PROF_ADD(&sums[number], g, calls, units, units_sq);
		PROF_MOST(&sums[number], g, max_units);
	}
	r->gap = calloc((size_t)pairs.count + 1, sizeof(*r->gap));
	for (; number != PAIRS_NONE && r->gap && r->gaps < pairs.count; r->gaps++)
		fill_gap(r, &r->gap[r->gaps], pairs.pair[r->gaps], &sums[r->gaps]);
	ARRAY_SORT(r->gap, r->gaps, compare_gaps);
	pairs_clear(&pairs);
	free(sums);
	return number != PAIRS_NONE && r->gap ? 0 : -1;
}

static void fill_thread(const struct report *r, struct report_thread *t,
			const struct prof_table *in)
{
	double unit = r->profile->clock.ns_per_unit;
	const struct prof_process *p = &r->profile->process[in->process];

	PROF_SET(t, in, name, tid, threads);
	t->pid = p->pid;
	t->live = in->live && process_end_runs_now(p);
	t->time_ns = (double)in->time_units * unit;
	t->calls_ns = (double)in->call_units * unit;
	t->gaps_ns = (double)in->gap_units * unit;
	t->nested_ns = (double)in->nested_units * unit;
	t->in_calls_ns = t->calls_ns - t->nested_ns;
	t->recording_ns = (double)in->recording_units * unit;
	t->remainder_units = (int64_t)(in->time_units + in->nested_units - in->call_units -
				       in->gap_units - in->recording_units);
	t->remainder_ns = (double)t->remainder_units * unit;
}

ARRAY_COMPARE(compare_threads, struct report_thread,
	      ARRAY_ORDER(b->time_ns, a->time_ns) ?: PROF_ORDER(a, b, pid, tid))

bool account_starts_before(const struct prof_process *a, const struct prof_process *b)
{
	if (a->start_real_ns != b->start_real_ns)
		return a->start_real_ns < b->start_real_ns;
	return a->pid < b->pid;
}

ARRAY_COMPARE(compare_processes, struct report_process,
	      ARRAY_ORDER(b->calls_ns, a->calls_ns)
		      ?: (account_starts_before(a->process, b->process) ? -1 : 1))

/* A process that runs, or was killed, did not write its end: the last instant that
 * it noted is some calls old, and its longest thread may have come further. */
static double wall_of(const struct prof_process *p, double longest_s)
{
	double noted_s = p->end_mono_ns > p->start_mono_ns
				 ? (double)(p->end_mono_ns - p->start_mono_ns) / 1e9
				 : NAN;

	if (noted_s > 0 && (p->end_state != SCP_END_RUNNING || p->count != 1))
		return noted_s;
	return longest_s > 0 ? fmax(noted_s, longest_s) : noted_s;
}

/* Before the sort, a report's processes lie as the profile's do. */
static void fill_processes(struct report *r)
{
	const struct profile *p = r->profile;

	for (uint32_t i = 0; i < p->tables; i++) {
		const struct report_thread *t = &r->thread[i];
		struct report_process *of = &r->process[p->table[i].process];

		PROF_ADD(of, t, threads, calls, calls_ns, in_calls_ns, waiting_ns, time_ns,
			 recording_ns);
		of->wall_s = fmax(of->wall_s, t->time_ns / 1e9);
	}
	for (uint32_t i = 0; i < p->processes; i++) {
		r->all_processes += p->process[i].count;
		r->process[i].process = &p->process[i];
		r->process[i].wall_s = wall_of(&p->process[i], r->process[i].wall_s);
	}
}

static void find_first(struct report *r)
{
	const struct profile *p = r->profile;

	for (uint32_t i = 0; i < p->processes; i++)
		if (!r->first || account_starts_before(&p->process[i], r->first))
			r->first = &p->process[i];
	r->start_real_ns = r->first ? r->first->start_real_ns : 0;
}

/* Calls and gaps that overflowed belong to no table, so the check over all of
 * them has terms of its own. */
static void check_time(struct report *r)
{
	const struct profile *p = r->profile;
	const struct scp_losses *l = &p->losses;
	__int128 remainder = (__int128)l->overflow_time_units + l->overflow_nested_units -
			     (__int128)l->overflow_gap_units;
	uint64_t longest = 0;
	bool at_rest = true;

	for (uint32_t i = 0; i < p->functions; i++)
		remainder -= (__int128)p->function[i].overflow_units;
	for (uint32_t i = 0; i < p->tables; i++) {
		remainder += r->thread[i].remainder_units;
		at_rest = at_rest && !p->table[i].live;
	}
	for (uint32_t i = 0; i < p->entries; i++)
		if (p->entry[i].sums.max_units > longest)
			longest = p->entry[i].sums.max_units;
	for (uint32_t i = 0; i < p->gaps; i++)
		if (p->gap[i].max_units > longest)
			longest = p->gap[i].max_units;
	r->remainder_units = remainder;
	r->remainder_ns = (double)remainder * p->clock.ns_per_unit;
	/* A thread stopped in the middle of a call has added the call to one sum
	 * and not yet to the other. */
	r->remainder_expected =
		!at_rest && remainder <= (__int128)longest && -remainder <= (__int128)longest;
}

/* Calls in rows are nested in calls in rows for less than these take. */
double account_nested_ns(const struct profile *p)
{
	double nested = (double)p->losses.overflow_nested_units, outer = 0;

	for (uint32_t i = 0; i < p->tables; i++)
		nested += (double)p->table[i].nested_units;
	for (uint32_t i = 0; i < p->entries && p->below.filtered; i++)
		if (p->entry[i].sums.inner_calls && !profile_leaves_out(p, p->entry[i].path))
			outer += (double)p->entry[i].sums.units;
	return (p->below.filtered ? fmin(nested, outer) : nested) * p->clock.ns_per_unit;
}

static void add_up(struct report *r)
{
	const struct scp_losses *l = &r->profile->losses;
	double unit = r->profile->clock.ns_per_unit;

	r->time_ns = (double)l->overflow_time_units * unit;
	r->gaps_ns = (double)l->overflow_gap_units * unit;
	r->nested_ns = account_nested_ns(r->profile);
	for (uint32_t i = 0; i < r->threads; i++) {
		r->all_threads += r->thread[i].threads;
		PROF_ADD(r, &r->thread[i], time_ns, gaps_ns, recording_ns);
		PROF_ADD(r, &r->profile->table[i], recordings, walks);
	}
}

/* Of each thread, and how long they waited. -1: out of memory. */
static int count_calls(struct report *r)
{
	const struct profile *p = r->profile;
	bool *waits = calloc((size_t)p->functions + 1, sizeof(*waits));

	if (!waits)
		return -1;
	for (uint32_t i = 0; i < p->functions; i++)
		waits[i] = waiting_function(&p->function[i]);
	for (const struct prof_entry *e = p->entry; e < p->entry + p->entries; e++) {
		r->thread[e->table].calls += e->sums.calls;
		if (waits[e->function])
			r->thread[e->table].waiting_ns +=
				(double)e->sums.units * p->clock.ns_per_unit;
	}
	free(waits);
	return 0;
}

int account_threads(struct report *r)
{
	const struct profile *p = r->profile;

	r->thread = calloc(p->tables ? p->tables : 1, sizeof(*r->thread));
	r->process = calloc(p->processes ? p->processes : 1, sizeof(*r->process));
	if (!r->thread || !r->process)
		return -1;
	r->threads = p->tables;
	r->processes = p->processes;
	for (uint32_t i = 0; i < p->tables; i++)
		fill_thread(r, &r->thread[i], &p->table[i]);
	if (count_calls(r) < 0)
		return -1;
	fill_processes(r);
	check_time(r);
	add_up(r);
	ARRAY_SORT(r->thread, r->threads, compare_threads);
	ARRAY_SORT(r->process, r->processes, compare_processes);
	find_first(r);
	return 0;
}

/* The overhead is measured in a loop of calls, where all that a call needs is in the caches and
 * the branches are predicted. A program that works between two calls evicts some of that, and
 * the next call is dearer by an amount that no calibration knows. It has two bounds: what is
 * fetched again was evicted by the work, which needed the gap's whole time for it at most; and a
 * call needs only so much. */

/* A choice: the measured cost outside of a call, at most. */
#define COLD_TIMES 10.0
/* A tick leaves cold caches, too. */
#define TICK_TIMES 2.0
/* So does making a record, which touches much more than a call that is known: a compiler with
 * 114,000 new paths took 1.1 to 1.8 times the time of recording them on top of it. */
#define RECORDING_TIMES 2.0
/* Standard errors of the overhead to either side. */
#define ERRORS 2.0
/* A choice: as much of the overhead the processor may hide behind the program's own work. */
#define HIDDEN_SHARE 0.15

static double cold_ns(const struct report *r)
{
	double sum = 0;

	for (const struct report_gap *g = r->gap; g < r->gap + r->gaps; g++)
		sum += fmin(g->total_ns, COLD_TIMES * r->overhead.outside_ns * (double)g->calls);
	/* the gaps at calls that are left out have no row */
	return sum + COLD_TIMES * r->overhead.outside_ns * (double)r->profile->below.left_out_calls;
}

void account_perturbation(struct report *r)
{
	const struct prof_overhead *o = &r->profile->clock.overhead;
	double ticks_ns = (double)r->profile->ticker_cost.taken_ns;
	double calls = (double)(r->calls + r->profile->below.left_out_calls);
	double calls_ns = calls * (r->overhead.inside_ns + r->overhead.outside_ns);
	double error_ns = calls * (o->inside_error_ns + o->outside_error_ns);
	double known_ns = (double)r->profile->switches.reading_ns + r->recording_ns +
			  (double)r->profile->own_ns;

	r->perturbation_ns = calls_ns + known_ns + ticks_ns;
	r->perturbation_low_ns =
		fmax((1 - HIDDEN_SHARE) * calls_ns - ERRORS * error_ns, 0) + known_ns;
	r->perturbation_high_ns = calls_ns + ERRORS * error_ns + known_ns + cold_ns(r) +
				  TICK_TIMES * ticks_ns + RECORDING_TIMES * r->recording_ns;
	if (!isfinite(r->perturbation_ns) || !isfinite(r->perturbation_high_ns))
		r->perturbation_low_ns = r->perturbation_high_ns = NAN;
}
