// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs are numbered by name, added up, and numbered anew in their order. */
#include "report/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/proc_maps.h"

static int compare_exes(const struct prof_process *a, const struct prof_process *b)
{
	size_t m = proc_maps_path_bytes(a->exe), n = proc_maps_path_bytes(b->exe);

	return memcmp(a->exe, b->exe, m < n ? m : n) ?: ARRAY_ORDER(m, n);
}

/* A script is called as what it starts may be: what executes them differs. */
static int compare_programs(const struct prof_process *a, const struct prof_process *b)
{
	return strcmp(a->program, b->program) ?: compare_exes(a, b);
}

ARRAY_COMPARE_AT(by_name, struct prof_process, compare_programs(a, b) ?: ARRAY_ORDER(a, b))

static int number_programs(struct report *r)
{
	const struct profile *p = r->profile;
	uint32_t *order = array_order(p->processes, by_name, p->process);

	r->program_of = calloc((size_t)p->processes + 1, sizeof(*r->program_of));
	r->program = calloc((size_t)p->processes + 1, sizeof(*r->program));
	for (uint32_t i = 0; order && r->program && r->program_of && i < p->processes; i++) {
		const struct prof_process *in = &p->process[order[i]];

		if (!i || compare_programs(&p->process[order[i - 1]], in))
			r->program[r->programs++] = (struct report_program){
				.name = in->program, .first = in, .wall_s = NAN, .prepares = true};
		r->program_of[order[i]] = r->programs - 1;
	}
	free(order);
	return order && r->program && r->program_of ? 0 : -1;
}

static int by_run(const void *left, const void *right, void *report)
{
	const struct report *r = report;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct prof_process *a = &r->profile->process[i], *b = &r->profile->process[j];

	return ARRAY_ORDER(r->run_of[i], r->run_of[j]) ?: PROF_ORDER(a, b, pid, start_mono_ns);
}

#define GENERATIONS 64 /* a crafted file may say that a process is its own ancestor */

/* Of the processes of one run, sorted by pid and start: the one that came first, or what it, or its
 * parent, replaced itself by. */
static const struct prof_process *follow(const struct report *r, const uint32_t *order,
					 uint32_t count)
{
	const struct prof_process *p = r->profile->process;
	uint32_t first = 0, at, parent;

	for (uint32_t i = 1; i < count; i++)
		if (account_starts_before(&p[order[i]], &p[order[first]]))
			first = i;
	at = first;
	for (unsigned i = 0; i < GENERATIONS; i++) {
		for (parent = 0; parent < count && p[order[parent]].pid != p[order[at]].ppid;)
			parent++;
		if (parent == count)
			break;
		at = parent;
	}
	while (at + 1 < count && p[order[at]].end_state == SCP_END_EXEC &&
	       p[order[at + 1]].pid == p[order[at]].pid)
		at++;
	/* a server that was told to restart becomes itself, perhaps by another name */
	for (uint32_t i = 0; i < count; i++)
		if (at == first || p[order[i]].start_mono_ns >= p[order[at]].start_mono_ns ||
		    !compare_exes(&p[order[i]], &p[order[at]]))
			r->program[r->program_of[order[i]]].prepares = false;
	return &p[order[at]];
}

static int find_asked(struct report *r)
{
	uint32_t n = r->profile->processes, from = 0;
	uint32_t *order = array_order(n, by_run, r);

	for (uint32_t i = 1; order && i <= n; i++) {
		uint32_t run = r->run_of[order[from]];

		if (i < n && r->run_of[order[i]] == run)
			continue;
		const struct prof_process *asked = follow(r, order + from, i - from);
		if (run == r->run_of[r->first - r->profile->process])
			r->asked = asked;
		from = i;
	}
	free(order);
	return order ? 0 : -1;
}

static void add_processes(struct report *r)
{
	for (const struct report_process *in = r->process; in < r->process + r->processes; in++) {
		struct report_program *to =
			&r->program[r->program_of[in->process - r->profile->process]];

		to->processes += in->process->count;
		PROF_ADD(to, in, threads, calls, calls_ns, in_calls_ns, waiting_ns, time_ns,
			 recording_ns);
		if (account_starts_before(in->process, to->first))
			to->first = in->process;
	}
}

static void add_tables(struct report *r)
{
	const struct profile *p = r->profile;

	for (const struct prof_table *t = p->table; t < p->table + p->tables; t++) {
		struct report_program *to = &r->program[r->program_of[t->process]];

		to->nested_ns += (double)t->nested_units * p->clock.ns_per_unit;
		to->cpu_s += t->states.covered_ns || !t->call_units
				     ? threads_time_charged_s(t, p->clock.ns_per_unit)
				     : NAN;
	}
}

/* Standard errors of a number of samples that are no reason to tell more than what was charged. */
#define SAMPLES_ERRORS 2

/* What the processes were charged, as they noted at their ends; where not all of them did, what was
 * sampled of them, and how far that may be off. In s. */
static double charged_s(const struct report *r, double samples, double *off)
{
	const struct profile *p = r->profile;
	double period = p->flags & SCP_FILE_WINDOWS ? 0 : (double)p->sampling.period_ns / 1e9;

	*off = 0;
	if (p->usage.known & SCP_USAGE_CPU && p->usage_cpu_of == r->all_processes)
		return (double)p->usage.cpu_ns / 1e9;
	*off = SAMPLES_ERRORS * sqrt(samples) * period;
	return samples * period;
}

/* What the processes were charged beyond that is of threads without a recorded call; of which
 * program, samples tell. -1: out of memory. */
static int add_unrecorded(struct report *r)
{
	const struct profile *p = r->profile;
	double all, rest, off, samples = 0, beyond = 0;
	double *of = calloc((size_t)r->programs + 1, sizeof(*of));

	for (uint32_t i = 0; of && i < p->samples; i++)
		for (uint32_t k = 0; k < SCP_SAMPLE_BATCHES; k++) {
			of[r->program_of[p->sample[i].process]] += p->sample[i].count[k];
			samples += p->sample[i].count[k];
		}
	rest = all = charged_s(r, samples, &off);
	for (uint32_t i = 0; of && i < r->programs; i++) {
		rest -= r->program[i].cpu_s;
		of[i] = fmax(all * of[i] / fmax(samples, 1) - r->program[i].cpu_s, 0);
		of[i] = r->programs == 1 ? 1 : of[i];
		beyond += of[i];
	}
	for (uint32_t i = 0; rest > off && beyond > 0 && i < r->programs; i++) {
		r->program[i].unrecorded_s = rest * of[i] / beyond;
		r->program[i].cpu_s += r->program[i].unrecorded_s;
	}
	free(of);
	return of ? 0 : -1;
}

struct ranking {
	const struct report *report;
	uint32_t asked; /* REPORT_NO_PROGRAM: none in particular */
	bool by_cpu;
};

static double weight_of(const struct ranking *k, const struct report_program *p)
{
	return k->by_cpu ? p->cpu_s : fmax(p->time_ns - p->waiting_ns, 0) / 1e9;
}

static int by_weight(const void *left, const void *right, void *ranking)
{
	const struct ranking *k = ranking;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct report_program *a = &k->report->program[i], *b = &k->report->program[j];

	return ARRAY_ORDER(j == k->asked, i == k->asked)
		       ?: ARRAY_ORDER(a->prepares, b->prepares)
		       ?: ARRAY_ORDER(weight_of(k, b), weight_of(k, a)) ?: ARRAY_ORDER(i, j);
}

/* What only prepared a run does not count. */
static double weight_of_all(const struct ranking *k)
{
	double weight = 0;

	for (uint32_t i = 0; i < k->report->programs; i++)
		if (!k->report->program[i].prepares)
			weight += weight_of(k, &k->report->program[i]);
	return weight;
}

/* The programs, and the numbers of the processes, in the new order. */
static int put_in_order(struct report *r, const struct ranking *k)
{
	uint32_t n = r->programs, *order = array_order(n, by_weight, (void *)k);
	uint32_t *now = malloc(((size_t)n + 1) * sizeof(*now));
	struct report_program *sorted = malloc(((size_t)n + 1) * sizeof(*sorted));
	bool room = order && now && sorted;

	for (uint32_t i = 0; room && i < n; i++) {
		sorted[i] = r->program[order[i]];
		now[order[i]] = i;
	}
	for (uint32_t i = 0; room && i < n; i++)
		r->program[i] = sorted[i];
	for (uint32_t i = 0; room && i < r->profile->processes; i++)
		r->program_of[i] = now[r->program_of[i]];
	free(order);
	free(now);
	free(sorted);
	return room ? 0 : -1;
}

static void choose_shown(struct report *r, const struct ranking *k)
{
	double weight = weight_of_all(k);

	for (uint32_t i = 0; i < r->programs && i < PROGRAMS_SHOWN; i++) {
		struct report_program *p = &r->program[i];

		p->shown =
			!i || (!p->prepares &&
			       (r->runs > 1 || weight_of(k, p) >= PROGRAMS_SMALL_SHARE * weight));
		if (!p->shown)
			break;
	}
}

/* What it noted last is from long before it was killed. */
static bool ended_unseen(const struct report_program *p)
{
	return p->processes == 1 && p->first->end_state == SCP_END_RUNNING &&
	       p->cpu_s > p->wall_s * (double)(p->threads > 1 ? p->threads : 1);
}

int programs_find(struct report *r, bool together)
{
	struct ranking k = {.report = r, .asked = REPORT_NO_PROGRAM, .by_cpu = true};

	if (number_programs(r) < 0 || find_asked(r) < 0)
		return -1;
	add_processes(r);
	add_tables(r);
	if (add_unrecorded(r) < 0)
		return -1;
	for (uint32_t i = 0; i < r->programs; i++)
		k.by_cpu = k.by_cpu && !isnan(r->program[i].cpu_s);
	if (r->asked != r->first && r->runs == 1)
		k.asked = r->program_of[r->asked - r->profile->process];
	/* A wrapper may become another one: the time is that of what it starts. */
	if (k.asked != REPORT_NO_PROGRAM &&
	    weight_of(&k, &r->program[k.asked]) < PROGRAMS_SMALL_SHARE * weight_of_all(&k))
		k.asked = REPORT_NO_PROGRAM;
	if (put_in_order(r, &k) < 0)
		return -1;
	choose_shown(r, &k);
	r->apart = r->programs > 1 && !together;
	if (runs_measure(r) < 0)
		return -1;
	for (struct report_program *i = r->program; i < r->program + r->programs; i++)
		if (ended_unseen(i))
			i->wall_s = NAN;
	return 0;
}

uint32_t programs_shown(const struct report *r)
{
	uint32_t n = 0;

	while (n < r->programs && r->program[n].shown)
		n++;
	return n;
}

const struct report_threads_time *programs_time(const struct report *r)
{
	return r->apart && programs_shown(r) == 1 ? &r->program[0].threads_time : &r->threads_time;
}

static uint32_t program_of_site(const struct report *r, uint32_t site)
{
	return site < r->sites ? r->site[site].program : REPORT_NO_PROGRAM;
}

/* Their sites have their numbers in the report. */
static int view_gaps(struct report *view, const struct report *r, uint32_t program)
{
	view->gap = calloc((size_t)r->gaps + 1, sizeof(*view->gap));
	view->gaps = 0;
	for (uint32_t i = 0; view->gap && i < r->gaps; i++)
		if (program_of_site(r, r->gap[i].from) == program ||
		    program_of_site(r, r->gap[i].to) == program) {
			struct report_gap *g = &view->gap[view->gaps++];

			*g = r->gap[i];
			g->share = view->time_ns > 0 ? g->total_ns / view->time_ns : NAN;
		}
	return view->gap ? 0 : -1;
}

static int view_sites(struct report *view, const struct report *r, uint32_t program)
{
	const struct report_program *p = &r->program[program];

	view->site = calloc((size_t)p->sites + 1, sizeof(*view->site));
	view->sites = view->working = 0;
	for (const struct report_site *of = NULL; view->site && (of = report_next_site(r, of));) {
		struct report_site *s = &view->site[view->sites];

		if (of->program != program || view->sites >= p->sites)
			continue;
		*s = *of;
		if (!s->waits)
			s->share = s->program_share;
		view->working += !s->waits;
		view->sites++;
	}
	view->kept = view->sites;
	view->beyond = p->sites - view->sites;
	view->net_ns = p->work_ns;
	view->net_waiting_ns = p->net_waiting_ns;
	return view->site ? 0 : -1;
}

int programs_view(struct report *view, const struct report *r, uint32_t program)
{
	const struct report_program *p = &r->program[program];

	*view = *r;
	PROF_SET(view, p, calls, calls_ns, waiting_ns, nested_ns, time_ns, recording_ns);
	PROF_SET(view, p, threads_time, wall_s);
	view->gaps_ns = p->time_ns - p->calls_ns + p->nested_ns - p->recording_ns;
	view->all_threads = p->threads;
	view->perturbation_ns = p->recording_ns + (r->perturbation_ns - r->recording_ns) *
							  (double)p->calls /
							  fmax((double)r->calls, 1);
	view->ledger.cpu_s = NAN; /* of all processes */
	view->first = view->asked = p->first;
	view->programs = view->runs = 1;
	view->apart = false;
	return r->by == REPORT_BY_GAP ? view_gaps(view, r, program) : view_sites(view, r, program);
}

void programs_view_end(struct report *r, struct report *view)
{
	PROF_SET(r, view, warning, warnings, module_noted);
	free(r->by == REPORT_BY_GAP ? (void *)view->gap : (void *)view->site);
}
