// SPDX-License-Identifier: GPL-3.0-or-later
/* Sets of processes that are joined in pairs (Tarjan 1975, "Efficiency of a good but not linear set
 * union algorithm"); pairs are neighbours once the processes are sorted. */
#include "report/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/bisect.h"

#define SLACK_NS UINT64_C(1000000000) /* between the end of a parent's recording and its child */

struct span {
	const struct prof_process *process;
	uint64_t start, end; /* ns since 1970; end: the last that is known */
};

struct joining {
	struct span *span; /* by the profile's process */
	uint32_t *set;	   /* by process: another one of its set, or itself */
	uint32_t *order;
	uint32_t count;
};

static uint32_t find_set(uint32_t *set, uint32_t i)
{
	while (set[i] != i)
		i = set[i] = set[set[i]];
	return i;
}

static void join(struct joining *j, uint32_t a, uint32_t b)
{
	a = find_set(j->set, a);
	b = find_set(j->set, b);
	j->set[a > b ? a : b] = a > b ? b : a;
}

/* Where its process was recorded into a directory of a run, that directory's part of the path. */
static size_t origin_of(const struct span *s, const char **text)
{
	const char *file = s->process->file ? s->process->file : "", *slash = strrchr(file, '/');

	*text = file;
	return slash && memmem(file, (size_t)(slash - file), "scprof.", 7) ? (size_t)(slash - file)
									   : strlen(file);
}

static int compare_origins(const struct span *a, const struct span *b)
{
	const char *left, *right;
	size_t m = origin_of(a, &left), n = origin_of(b, &right);

	return memcmp(left, right, m < n ? m : n) ?: ARRAY_ORDER(m, n);
}

static bool same_file(const struct span *a, const struct span *b)
{
	return compare_origins(a, b) == 0;
}

/* Two recordings, each with a directory of its own, one after the other. */
static bool of_two_recordings(const struct span *a, const struct span *b)
{
	const char *left, *right;
	size_t m = origin_of(a, &left), n = origin_of(b, &right);

	return left[m] && right[n] && !same_file(a, b);
}

static int by_pid(const void *left, const void *right, void *spans)
{
	const struct span *s = spans, *a = &s[*(const uint32_t *)left],
			  *b = &s[*(const uint32_t *)right];

	return ARRAY_ORDER(a->process->pid, b->process->pid) ?: ARRAY_ORDER(a->start, b->start);
}

static int by_parent(const void *left, const void *right, void *spans)
{
	const struct span *s = spans, *a = &s[*(const uint32_t *)left],
			  *b = &s[*(const uint32_t *)right];

	return compare_origins(a, b) ?: ARRAY_ORDER(a->process->ppid, b->process->ppid);
}

static int by_start(const void *left, const void *right, void *spans)
{
	const struct span *s = spans, *a = &s[*(const uint32_t *)left],
			  *b = &s[*(const uint32_t *)right];

	return compare_origins(a, b) ?: ARRAY_ORDER(a->start, b->start);
}

static void sort(struct joining *j, int (*compare)(const void *, const void *, void *))
{
	qsort_r(j->order, j->count, sizeof(*j->order), compare, j->span);
}

/* The process with that pid that began last before `when`; PROF_NONE: none. Sorted by pid. */
static uint32_t find_pid(const struct joining *j, uint32_t pid, uint64_t when)
{
	const struct span *s;
	size_t low;

	BISECT(low, j->count,
	       (s = &j->span[j->order[low]],
		s->process->pid < pid || (s->process->pid == pid && s->start <= when)));
	s = low ? &j->span[j->order[low - 1]] : NULL;
	return s && s->process->pid == pid ? j->order[low - 1] : PROF_NONE;
}

static void join_families(struct joining *j)
{
	sort(j, by_pid);
	for (uint32_t i = 1; i < j->count; i++) {
		const struct span *a = &j->span[j->order[i - 1]], *b = &j->span[j->order[i]];

		if (a->process->pid == b->process->pid && a->process->end_state == SCP_END_EXEC &&
		    b->start <= a->end + SLACK_NS)
			join(j, j->order[i - 1], j->order[i]);
	}
	for (uint32_t i = 0; i < j->count; i++) {
		const struct span *s = &j->span[i];
		uint32_t before = find_pid(j, s->process->ppid, s->start);
		uint32_t later = find_pid(j, s->process->ppid, UINT64_MAX);

		if (before != PROF_NONE) {
			const struct span *parent = &j->span[before];

			if ((parent->process->end_state == SCP_END_RUNNING ||
			     s->start <= parent->end + SLACK_NS) &&
			    !of_two_recordings(s, parent))
				join(j, i, before);
		} else if (later != PROF_NONE && same_file(s, &j->span[later])) {
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
		const struct span *a = &j->span[j->order[i - 1]], *b = &j->span[j->order[i]];

		if (b->process->ppid > 1 && a->process->ppid == b->process->ppid && same_file(a, b))
			join(j, j->order[i - 1], j->order[i]);
	}
	sort(j, by_start);
	for (uint32_t i = 1; i < j->count; i++) {
		const struct span *s = &j->span[j->order[i]], *before = &j->span[j->order[longest]];

		if (!same_file(before, s))
			files++;
		else if (s->start <= before->end)
			join(j, j->order[i], j->order[longest]);
		if (!same_file(before, s) || s->end > before->end)
			longest = i;
	}
	return files;
}

static void find_spans(struct joining *j, const struct report *r)
{
	for (uint32_t i = 0; i < r->processes; i++) {
		const struct report_process *p = &r->process[i];
		struct span *s = &j->span[p->process - r->profile->process];
		double wall_ns = p->wall_s * 1e9;

		s->process = p->process;
		s->start = p->process->start_real_ns;
		s->end = s->start + (wall_ns > 0 && wall_ns < 1e18 ? (uint64_t)wall_ns : 0);
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
	struct joining j = {.count = r->profile->processes};

	j.span = calloc(room, sizeof(*j.span));
	j.set = malloc(room * sizeof(*j.set));
	j.order = malloc(room * sizeof(*j.order));
	r->run_of = malloc(room * sizeof(*r->run_of));
	if (j.span && j.set && j.order && r->run_of) {
		find_spans(&j, r);
		join_families(&j);
		r->profiles = join_files(&j);
		for (uint32_t i = 0; i < j.count; i++) {
			uint32_t first = find_set(j.set, i);

			r->run_of[i] = first == i ? r->runs++ : r->run_of[first];
		}
	}
	room = j.span && j.set && j.order && r->run_of;
	free(j.span);
	free(j.set);
	free(j.order);
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
