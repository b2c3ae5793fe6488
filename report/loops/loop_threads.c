// SPDX-License-Identifier: GPL-3.0-or-later
/* From the entries and gaps of threads to the graph of their calls. The file does not
 * say which calls were nested; but a top-level call has a gap before it. */
#include "report/loops/loop_graph.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

int loop_threads_begin(struct loop_tables *t, const struct report *r, const uint32_t *site_of)
{
	const struct profile *p = r->profile;

	memset(t, 0, sizeof(*t));
	t->profile = p;
	t->site_of = site_of;
	t->node_of = malloc(((size_t)r->sites + 1) * sizeof(*t->node_of));
	if (!t->node_of ||
	    array_by_key(p->entry, p->entries, sizeof(*p->entry), p->tables, &t->entry,
			 &t->entries_from) < 0 ||
	    array_by_key(p->gap, p->gaps, sizeof(*p->gap), p->tables, &t->gap, &t->gaps_from) < 0)
		return -1;
	memset(t->node_of, 0xff, ((size_t)r->sites + 1) * sizeof(*t->node_of));
	return 0;
}

void loop_threads_end(struct loop_tables *t)
{
	PROF_FREE(t, entry, entries_from, gap, gaps_from, node_of, group, order);
}

static int add_entries(struct loop_tables *t, uint32_t table, struct loop_graph *g)
{
	for (uint32_t i = t->entries_from[table]; i < t->entries_from[table + 1]; i++) {
		const struct prof_entry *e = &t->profile->entry[t->entry[i]];
		uint32_t *node = &t->node_of[t->site_of[t->entry[i]]];
		struct prof_sums sums = e->sums;

		if (*node == PROF_NONE) {
			struct loop_node *n = ARRAY_APPEND(g->node, g->nodes);

			if (!n)
				return -1;
			n->site = t->site_of[t->entry[i]];
			n->sums.first_at = sums.first_at;
			*node = g->nodes - 1;
		}
		sums.hist = NULL;
		sums.hist_of_one = false;
		sums.first = NULL;
		sums.slow = NULL;
		sums.phase = NULL;
		sums.line = NULL;
		sums.tail = NULL;
		sums.states = NULL;
		sums.detector = SCP_SWITCH_NONE;
		if (sums_add(&g->node[*node].sums, &sums) < 0)
			return -1;
	}
	return 0;
}

static uint32_t end_of(const struct loop_tables *t, uint32_t entry, const struct loop_graph *g)
{
	return entry < t->profile->entries ? t->node_of[t->site_of[entry]] : g->nodes;
}

/* After the entries of all tables: the number of nodes stands for start and end. */
static int add_gaps(const struct loop_tables *t, uint32_t table, struct loop_graph *g)
{
	for (uint32_t i = t->gaps_from[table]; i < t->gaps_from[table + 1]; i++) {
		const struct prof_gap *gap = &t->profile->gap[t->gap[i]];
		uint32_t from = end_of(t, gap->from, g), to = end_of(t, gap->to, g);

		/* An entry of another table: a file that contradicts itself. */
		if (from == PROF_NONE || to == PROF_NONE)
			continue;
		struct loop_edge *e = ARRAY_APPEND(g->edge, g->edges);
		if (!e)
			return -1;
		e->from = from;
		e->to = to;
		PROF_SET(e, gap, calls, units, max_units, units_sq);
	}
	return 0;
}

/* Calls that were partly nested, or overlapped: they share the time of top-level calls that the
 * others leave, in proportion to their visits times their mean. */
static void apportion(struct loop_graph *g, uint64_t outer_units)
{
	uint64_t left = outer_units;
	double weight = 0;

	for (struct loop_node *n = g->node; n < g->node + g->nodes; n++) {
		n->units = n->in == n->sums.calls ? n->sums.units : 0;
		n->apportioned = n->visits && n->in != n->sums.calls;
		left -= n->units <= left ? n->units : left;
		if (n->apportioned && n->sums.calls)
			weight += (double)n->visits * (double)n->sums.units / (double)n->sums.calls;
	}
	for (struct loop_node *n = g->node; n < g->node + g->nodes && weight > 0; n++) {
		if (!n->apportioned || !n->sums.calls)
			continue;
		double own = (double)n->visits * (double)n->sums.units / (double)n->sums.calls;
		n->units = own >= weight ? left : (uint64_t)((double)left * (own / weight));
		n->units = n->units > left ? left : n->units;
		left -= n->units;
		weight -= own;
	}
}

int loop_threads_graph(struct loop_tables *t, const uint32_t *table, uint32_t tables,
		       struct loop_graph *g)
{
	uint64_t outer_units = 0;
	int status = 0;

	memset(g, 0, sizeof(*g));
	for (uint32_t i = 0; !status && i < tables; i++) {
		const struct prof_table *of = &t->profile->table[table[i]];

		status = add_entries(t, table[i], g);
		/* A thread that was stopped in between has added to one and not yet the other. */
		if (of->call_units > of->nested_units)
			outer_units += of->call_units - of->nested_units;
	}
	for (uint32_t i = 0; !status && i < tables; i++)
		status = add_gaps(t, table[i], g);
	for (uint32_t i = 0; i < g->nodes; i++)
		t->node_of[g->node[i].site] = PROF_NONE;
	if (status < 0 || loop_graph_settle(g) < 0) {
		loop_graph_clear(g);
		return -1;
	}
	apportion(g, outer_units);
	return 0;
}

/* Fifty workers should be one loop and not fifty; but by chance one of them takes another branch
 * more often, or sees an error. So two threads are alike if the main cycle of each lies entirely in
 * the loop of the other. */

struct nature {
	bool loop;
	uint32_t *site; /* sorted: of the loop; without one, of all calls */
	uint32_t *way;	/* of its main cycle; without a loop, `site` again */
	uint32_t sites, ways;
};

static int fill_nature(struct nature *n, const struct loop_graph *g)
{
	struct loop_part *part = loop_graph_measure(g);
	uint32_t loop = PROF_NONE; /* the one with most of the time */
	int status = 0;

	n->site = calloc((size_t)g->nodes + 1, sizeof(*n->site));
	n->way = calloc((size_t)g->nodes + 1, sizeof(*n->way));
	for (uint32_t i = 0; part && i < g->components; i++)
		if (part[i].loop && (loop == PROF_NONE || part[i].units > part[loop].units))
			loop = i;
	free(part);
	if (!part || !n->site || !n->way)
		return -1;
	n->loop = loop != PROF_NONE;
	for (uint32_t i = 0; i < g->nodes; i++)
		if (n->loop ? g->node[i].component == loop : g->node[i].visits > 0)
			n->site[n->sites++] = g->node[i].site;
	ARRAY_SORT(n->site, n->sites, array_by_number);
	n->ways = n->sites;
	if (n->loop)
		status = loop_cycle_find(g, loop, n->way, &n->ways);
	else
		memcpy(n->way, n->site, n->sites * sizeof(*n->site));
	for (uint32_t i = 0; !status && n->loop && i < n->ways; i++)
		n->way[i] = g->node[n->way[i]].site;
	return status;
}

static bool holds(const struct nature *n, const struct nature *way)
{
	for (uint32_t i = 0; i < way->ways; i++)
		if (!bsearch(&way->way[i], n->site, n->sites, sizeof(*n->site), array_by_number))
			return false;
	return true;
}

static bool alike(const struct nature *a, const struct nature *b)
{
	return a->loop == b->loop && holds(a, b) && holds(b, a);
}

static int compare_tables(const void *left, const void *right, void *tables)
{
	const struct loop_tables *t = tables;
	const struct prof_table *table = t->profile->table;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return ARRAY_ORDER(t->group[a], t->group[b])
		       ?: ARRAY_ORDER(table[b].time_units, table[a].time_units) ?: ARRAY_ORDER(a, b);
}

/* first[]: the nature of the first of each group. */
static int place(struct loop_tables *t, uint32_t table, struct nature *first)
{
	struct nature n = {0};
	struct loop_graph g;
	uint32_t at = 0;

	if (loop_threads_graph(t, &table, 1, &g) < 0)
		return -1;
	int status = fill_nature(&n, &g);
	loop_graph_clear(&g);
	while (!status && at < t->groups && !alike(&first[at], &n))
		at++;
	t->group[table] = at;
	if (at == t->groups) {
		first[t->groups++] = n;
	} else {
		PROF_FREE(&n, site, way);
	}
	return status;
}

int loop_threads_group(struct loop_tables *t)
{
	uint32_t tables = t->profile->tables;
	struct nature *first = calloc((size_t)tables + 1, sizeof(*first));

	t->group = calloc((size_t)tables + 1, sizeof(*t->group));
	t->order = t->group ? array_order(tables, compare_tables, t) : NULL;
	int status = first && t->order ? 0 : -1;
	for (uint32_t i = 0; !status && i < tables; i++)
		status = place(t, t->order[i], first);
	if (!status)
		qsort_r(t->order, tables, sizeof(*t->order), compare_tables, t);
	for (uint32_t i = 0; first && i < t->groups; i++)
		PROF_FREE(&first[i], site, way);
	free(first);
	return status;
}
