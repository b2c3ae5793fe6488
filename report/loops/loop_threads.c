// SPDX-License-Identifier: GPL-3.0-or-later
/* Fifty workers should be one loop and not fifty; but by chance one of them takes another branch
 * more often, or sees an error. So two threads are alike if the main cycle of each lies entirely in
 * the loop of the other. */
#include "report/loops/loop_threads.h"

#include <stdlib.h>
#include <string.h>

struct nature {
	bool loop;
	uint32_t *site; /* sorted: of the loop; without one, of all calls */
	uint32_t *way;	/* of its main cycle; without a loop, `site` again */
	uint32_t sites, ways;
};

static int compare_sites(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* The loop with most of the time. */
static uint32_t longest_loop(const struct loop_graph *g, const struct loop_part *part)
{
	uint32_t best = PROF_NONE;

	for (uint32_t i = 0; i < g->components; i++)
		if (part[i].loop && (best == PROF_NONE || part[i].units > part[best].units))
			best = i;
	return best;
}

static int fill_way(struct nature *n, const struct loop_graph *g, uint32_t loop)
{
	bool *taken = calloc((size_t)g->nodes + 1, sizeof(*taken));
	int status = taken ? loop_cycle_find(g, loop, taken, n->way, &n->ways) : -1;

	for (uint32_t i = 0; !status && i < n->ways; i++)
		n->way[i] = g->node[n->way[i]].site;
	free(taken);
	return status;
}

static int fill_nature(struct nature *n, const struct loop_graph *g)
{
	struct loop_part *part = calloc((size_t)g->components + 1, sizeof(*part));
	uint32_t loop;

	n->site = calloc((size_t)g->nodes + 1, sizeof(*n->site));
	n->way = calloc((size_t)g->nodes + 1, sizeof(*n->way));
	if (!part || !n->site || !n->way) {
		free(part);
		return -1;
	}
	loop_graph_measure(g, part);
	loop = longest_loop(g, part);
	free(part);
	n->loop = loop != PROF_NONE;
	for (uint32_t i = 0; i < g->nodes; i++)
		if (n->loop ? g->node[i].component == loop : g->node[i].visits > 0)
			n->site[n->sites++] = g->node[i].site;
	qsort(n->site, n->sites, sizeof(*n->site), compare_sites);
	if (n->loop)
		return fill_way(n, g, loop);
	memcpy(n->way, n->site, n->sites * sizeof(*n->site));
	n->ways = n->sites;
	return 0;
}

static bool holds(const struct nature *n, const struct nature *way)
{
	for (uint32_t i = 0; i < way->ways; i++)
		if (!bsearch(&way->way[i], n->site, n->sites, sizeof(*n->site), compare_sites))
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
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct prof_table *ta = &t->profile->table[a], *tb = &t->profile->table[b];

	if (t->group[a] != t->group[b])
		return t->group[a] < t->group[b] ? -1 : 1;
	if (ta->time_units != tb->time_units)
		return ta->time_units > tb->time_units ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* first[]: the nature of the first of each group. */
static int place(struct loop_tables *t, uint32_t table, struct nature *first)
{
	struct nature n = {0};
	struct loop_graph g;
	int status;

	if (loop_tables_graph(t, &table, 1, &g) < 0)
		return -1;
	status = fill_nature(&n, &g);
	loop_graph_clear(&g);
	for (uint32_t i = 0; !status && i < t->groups; i++)
		if (alike(&first[i], &n)) {
			t->group[table] = i;
			free(n.site);
			free(n.way);
			return 0;
		}
	t->group[table] = t->groups;
	first[t->groups++] = n;
	return status;
}

int loop_threads_group(struct loop_tables *t)
{
	uint32_t tables = t->profile->tables;
	struct nature *first = calloc((size_t)tables + 1, sizeof(*first));
	int status = first ? 0 : -1;

	t->group = calloc((size_t)tables + 1, sizeof(*t->group));
	t->order = calloc((size_t)tables + 1, sizeof(*t->order));
	if (!t->group || !t->order)
		status = -1;
	for (uint32_t i = 0; !status && i < tables; i++)
		t->order[i] = i;
	if (!status)
		qsort_r(t->order, tables, sizeof(*t->order), compare_tables, t);
	for (uint32_t i = 0; !status && i < tables; i++)
		status = place(t, t->order[i], first);
	if (!status)
		qsort_r(t->order, tables, sizeof(*t->order), compare_tables, t);
	for (uint32_t i = 0; first && i < t->groups; i++) {
		free(first[i].site);
		free(first[i].way);
	}
	free(first);
	return status;
}
