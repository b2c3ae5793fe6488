// SPDX-License-Identifier: GPL-3.0-or-later
/* Sets of processes that are joined in pairs (Tarjan 1975, "Efficiency of a good but not linear set
 * union algorithm"); pairs are neighbours once the processes are sorted. */
#include "report/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

#define SLACK_NS UINT64_C(1000000000) /* between the end of a parent's recording and its child */

/* By the profile's process. */
struct joining {
	const struct prof_process *process;
	uint64_t *end; /* ns since 1970: the last that is known */
	uint32_t *set; /* another one of its set, or itself */
	uint32_t *order;
	uint32_t count;
};

static uint32_t find_set(uint32_t *set, uint32_t i)
{
	while (set[i] != i)
		i = set[i] = set[set[i]];
	return i;
}

static void unite(struct joining *j, uint32_t a, uint32_t b)
{
	a = find_set(j->set, a);
	b = find_set(j->set, b);
	j->set[a > b ? a : b] = a > b ? b : a;
}

/* By what they look like: neither is known to be of a run. */
static void join(struct joining *j, uint32_t a, uint32_t b)
{
	if (!j->process[a].run && !j->process[b].run)
		unite(j, a, b);
}

/* Where its process was recorded into a directory of a run, that directory's part of the path. */
static size_t origin_of(const struct prof_process *p, const char **text)
{
	const char *file = p->file ? p->file : "", *slash = strrchr(file, '/');

	*text = file;
	return slash && memmem(file, (size_t)(slash - file), "scprof.", 7) ? (size_t)(slash - file)
									   : strlen(file);
}

static int compare_origins(const struct prof_process *a, const struct prof_process *b)
{
	const char *left, *right;
	size_t m = origin_of(a, &left), n = origin_of(b, &right);

	return memcmp(left, right, m < n ? m : n) ?: ARRAY_ORDER(m, n);
}

static bool same_file(const struct prof_process *a, const struct prof_process *b)
{
	return compare_origins(a, b) == 0;
}

/* Two recordings, each with a directory of its own, one after the other. */
static bool of_two_recordings(const struct prof_process *a, const struct prof_process *b)
{
	const char *left, *right;
	size_t m = origin_of(a, &left), n = origin_of(b, &right);

	return left[m] && right[n] && !same_file(a, b);
}

ARRAY_COMPARE_AT(by_run, struct prof_process, ARRAY_ORDER(a->run, b->run))
ARRAY_COMPARE_AT(by_pid, struct prof_process, PROF_ORDER(a, b, pid, start_real_ns))
ARRAY_COMPARE_AT(by_parent, struct prof_process,
		 compare_origins(a, b) ?: ARRAY_ORDER(a->ppid, b->ppid))
ARRAY_COMPARE_AT(by_start, struct prof_process,
		 compare_origins(a, b) ?: ARRAY_ORDER(a->start_real_ns, b->start_real_ns))

static void sort(struct joining *j, int (*compare)(const void *, const void *, void *))
{
	qsort_r(j->order, j->count, sizeof(*j->order), compare, (void *)j->process);
}

/* The process with that pid that began last before `when`; PROF_NONE: none. Sorted by pid. */
static uint32_t find_pid(const struct joining *j, uint32_t pid, uint64_t when)
{
	const struct prof_process *p;
	size_t low;

	BISECT(low, j->count,
	       (p = &j->process[j->order[low]],
		p->pid < pid || (p->pid == pid && p->start_real_ns <= when)));
	return low && j->process[j->order[low - 1]].pid == pid ? j->order[low - 1] : PROF_NONE;
}

static void join_recordings(struct joining *j)
{
	sort(j, by_run);
	for (uint32_t i = 1; i < j->count; i++) {
		uint32_t run = j->process[j->order[i]].run;

		if (run && run == j->process[j->order[i - 1]].run)
			unite(j, j->order[i - 1], j->order[i]);
	}
}

static void join_families(struct joining *j)
{
	sort(j, by_pid);
	for (uint32_t i = 1; i < j->count; i++) {
		const struct prof_process *a = &j->process[j->order[i - 1]],
					  *b = &j->process[j->order[i]];

		if (a->pid == b->pid && a->end_state == SCP_END_EXEC &&
		    b->start_real_ns <= j->end[j->order[i - 1]] + SLACK_NS)
			join(j, j->order[i - 1], j->order[i]);
	}
	for (uint32_t i = 0; i < j->count; i++) {
		const struct prof_process *p = &j->process[i];
		uint32_t before = find_pid(j, p->ppid, p->start_real_ns);
		uint32_t later = find_pid(j, p->ppid, UINT64_MAX);

		if (before != PROF_NONE) {
			const struct prof_process *parent = &j->process[before];

			if ((parent->end_state == SCP_END_RUNNING ||
			     p->start_real_ns <= j->end[before] + SLACK_NS) &&
			    !of_two_recordings(p, parent))
				join(j, i, before);
		} else if (later != PROF_NONE && same_file(p, &j->process[later])) {
			/* what the parent became (exec), of which nothing was kept before */
			join(j, i, later);
		}
	}
}

/* Parent 1 has many children: those that lost their own. How many files there are. */
static uint32_t join_files(struct joining *j)
{
	uint32_t longest = 0, files = j->count > 0;

	sort(j, by_parent);
	for (uint32_t i = 1; i < j->count; i++) {
		const struct prof_process *a = &j->process[j->order[i - 1]],
					  *b = &j->process[j->order[i]];

		if (b->ppid > 1 && a->ppid == b->ppid && same_file(a, b))
			join(j, j->order[i - 1], j->order[i]);
	}
	sort(j, by_start);
	for (uint32_t i = 1; i < j->count; i++) {
		uint32_t at = j->order[i], before = j->order[longest];
		bool same = same_file(&j->process[before], &j->process[at]);

		files += !same;
		if (same && j->process[at].start_real_ns <= j->end[before])
			join(j, at, before);
		if (!same || j->end[at] > j->end[before])
			longest = i;
	}
	return files;
}

static void find_ends(struct joining *j, const struct report *r)
{
	for (const struct report_process *p = r->process; p < r->process + r->processes; p++) {
		double wall_ns = p->wall_s * 1e9;

		j->end[p->process - j->process] =
			p->process->start_real_ns +
			(wall_ns > 0 && wall_ns < 1e18 ? (uint64_t)wall_ns : 0);
	}
	for (uint32_t i = 0; i < j->count; i++)
		j->set[i] = j->order[i] = i;
}

/* What some processes of one run took. */
struct stretch {
	uint64_t start;
	double length_s; /* NAN: no end is known */
	bool any;
};

static void add_process(struct stretch *of, const struct report_process *p)
{
	uint64_t start = p->process->start_real_ns;

	if (!of->any)
		*of = (struct stretch){start, NAN, true};
	if (start < of->start) {
		of->length_s += (double)(of->start - start) / 1e9;
		of->start = start;
	}
	of->length_s = fmax(of->length_s, (double)(start - of->start) / 1e9 + p->wall_s);
}

static double sum_of_known(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static int add_runs_up(struct report *r)
{
	struct stretch *run = calloc((size_t)r->runs + 1, sizeof(*run));

	r->wall_s = NAN;
	for (uint32_t i = 0; run && i < r->processes; i++)
		add_process(&run[r->run_of[r->process[i].process - r->profile->process]],
			    &r->process[i]);
	for (uint32_t i = 0; run && i < r->runs; i++)
		r->wall_s = sum_of_known(r->wall_s, run[i].length_s);
	free(run);
	return run ? 0 : -1;
}

int runs_find(struct report *r)
{
	size_t room = (size_t)r->profile->processes + 1;
	struct joining j = {.process = r->profile->process, .count = r->profile->processes};

	j.end = calloc(room, sizeof(*j.end));
	j.set = malloc(room * sizeof(*j.set));
	j.order = malloc(room * sizeof(*j.order));
	r->run_of = malloc(room * sizeof(*r->run_of));
	if (j.end && j.set && j.order && r->run_of) {
		find_ends(&j, r);
		join_recordings(&j);
		join_families(&j);
		r->profiles = join_files(&j);
		for (uint32_t i = 0; i < j.count; i++) {
			uint32_t first = find_set(j.set, i);

			r->run_of[i] = first == i ? r->runs++ : r->run_of[first];
		}
	}
	room = j.end && j.set && j.order && r->run_of;
	PROF_FREE(&j, end, set, order);
	return room ? add_runs_up(r) : -1;
}

static uint32_t place_of(const struct report *r, const struct report_process *p)
{
	return (uint32_t)(p->process - r->profile->process);
}

static int by_program(const void *left, const void *right, void *report)
{
	const struct report *r = report;
	uint32_t a = place_of(r, &r->process[*(const uint32_t *)left]),
		 b = place_of(r, &r->process[*(const uint32_t *)right]);

	return ARRAY_ORDER(r->program_of[a], r->program_of[b])
		       ?: ARRAY_ORDER(r->run_of[a], r->run_of[b]);
}

int runs_measure(struct report *r)
{
	uint32_t *order = array_order(r->processes, by_program, r);
	struct stretch now = {0};

	for (uint32_t i = 0; order && i < r->processes; i++) {
		struct report_program *of =
			&r->program[r->program_of[place_of(r, &r->process[order[i]])]];

		add_process(&now, &r->process[order[i]]);
		if (i + 1 < r->processes && !by_program(&order[i], &order[i + 1], r))
			continue;
		of->wall_s = sum_of_known(of->wall_s, now.length_s);
		of->runs++;
		now.any = false;
	}
	free(order);
	return order ? 0 : -1;
}
