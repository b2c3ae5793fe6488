// SPDX-License-Identifier: GPL-3.0-or-later
/* The loops of all threads: groups of threads, and the cycles of each group by time. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/loops/loop_graph.h"

const struct loop_limits loop_limits_none = {UINT32_MAX, 0, 0, 0};

static int name_threads(const struct loop_tables *t, struct loop *l, const uint32_t *table)
{
	const struct profile *p = t->profile;

	l->thread = calloc(l->tables, sizeof(*l->thread));
	if (!l->thread)
		return -1;
	l->one_name = true;
	for (uint32_t i = 0; i < l->tables; i++) {
		const struct prof_table *of = &p->table[table[i]];

		l->thread[i] = (struct loop_thread){of->name, p->process[of->process].pid, of->tid,
						    of->threads};
		l->threads += of->threads;
		l->one_name = l->one_name && !strcmp(of->name, l->thread[0].name);
	}
	return 0;
}

/* What is recorded of the threads, and what of it the rows will show. */
static uint64_t account(const struct loop_tables *t, struct loop *l, const uint32_t *table)
{
	double unit = t->profile->clock.ns_per_unit;
	uint64_t shown = 0, recorded = 0, recording = 0;

	for (uint32_t i = 0; i < l->tables; i++) {
		const struct prof_table *of = &t->profile->table[table[i]];

		recorded += of->time_units;
		shown += of->call_units - of->nested_units + of->gap_units;
		recording += of->recording_units;
	}
	l->time_ns = (double)recorded * unit;
	l->recording_ns = (double)recording * unit;
	l->remainder_units = (int64_t)(recorded - shown - recording);
	l->remainder_ns = (double)l->remainder_units * unit;
	return shown;
}

/* Loops first, the longest of them first. */
ARRAY_COMPARE(compare_parts, struct loop_part,
	      PROF_ORDER(b, a, loop, units) ?: ARRAY_ORDER(a->component, b->component))

/* Without those too short to be shown. */
static uint32_t count_loops(const struct loop_rows *w, const struct loop_part *sorted)
{
	uint32_t n = 0;

	while (n < w->graph->components && sorted[n].loop &&
	       (!n || (double)sorted[n].units >= w->limits->least_share * (double)w->units))
		n++;
	return n;
}

static int fill_cycles(struct loop_rows *w)
{
	struct loop_part *part = loop_graph_measure(w->graph);

	if (!part)
		return -1;
	ARRAY_SORT(part, w->graph->components, compare_parts);
	uint32_t count = count_loops(w, part);
	w->loop->cycle = calloc((size_t)count + 1, sizeof(*w->loop->cycle));
	int status = w->loop->cycle ? 0 : -1;
	for (uint32_t i = 0; !status && i < count; i++)
		status = loop_rows_cycle(w, part[i].component);
	free(part);
	return status ? status : loop_rows_finish(w);
}

static int fill_loop(const struct report *r, struct loop_tables *t, struct loop *l,
		     const uint32_t *table, const struct loop_limits *limits)
{
	struct loop_graph g;
	struct loop_rows w = {.report = r, .limits = limits, .loop = l, .graph = &g};

	if (name_threads(t, l, table) < 0 || loop_threads_graph(t, table, l->tables, &g) < 0)
		return -1;
	w.units = account(t, l, table);
	l->share = r->time_ns > 0 ? l->time_ns / r->time_ns : NAN;
	for (uint32_t i = 0; i < g.nodes; i++)
		l->calls += g.node[i].visits;
	int status = fill_cycles(&w);
	loop_graph_clear(&g);
	return status;
}

static void free_loop(struct loop *l)
{
	PROF_FREE(l, thread, cycle, row);
	memset(l, 0, sizeof(*l));
}

ARRAY_COMPARE(compare_loops, struct loop,
	      ARRAY_ORDER(b->time_ns, a->time_ns) ?: PROF_ORDER(a, b, thread->pid, thread->tid))

static int fill_loops(const struct report *r, struct loop_tables *t, struct loop_report *out,
		      const struct loop_limits *limits)
{
	uint32_t tables = r->profile->tables;

	out->loop = calloc((size_t)t->groups + 1, sizeof(*out->loop));
	if (!out->loop)
		return -1;
	for (uint32_t i = 0, next; i < tables; i = next) {
		struct loop *l = &out->loop[out->loops++];

		for (next = i + 1; next < tables; next++)
			if (t->group[t->order[next]] != t->group[t->order[i]])
				break;
		l->tables = next - i;
		if (fill_loop(r, t, l, &t->order[i], limits) < 0)
			return -1;
		if (!l->rows && !l->calls) /* a thread that ended before anything was recorded */
			free_loop(&out->loop[--out->loops]);
	}
	ARRAY_SORT(out->loop, out->loops, compare_loops);
	return 0;
}

struct loop_report *loop_build(const struct report *r, const uint32_t *site_of,
			       const struct loop_limits *limits)
{
	struct loop_report *out = calloc(1, sizeof(*out));
	struct loop_tables t;

	if (!out)
		return NULL;
	if (loop_threads_begin(&t, r, site_of) < 0 || loop_threads_group(&t) < 0 ||
	    fill_loops(r, &t, out, limits) < 0) {
		loop_free(out);
		out = NULL;
	}
	loop_threads_end(&t);
	return out;
}

void loop_free(struct loop_report *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->loops; i++)
		free_loop(&l->loop[i]);
	free(l->loop);
	free(l);
}
