// SPDX-License-Identifier: GPL-3.0-or-later
/* Loops are strongly connected components (Tarjan 1972), found without recursion, since a program
 * may have 10 000 sites in a row. */
#include "report/loops/loop_graph.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

void loop_graph_clear(struct loop_graph *g)
{
	for (uint32_t i = 0; i < g->nodes; i++)
		sums_clear(&g->node[i].sums);
	PROF_FREE(g, node, edge, first);
	memset(g, 0, sizeof(*g));
}

ARRAY_COMPARE(by_ends, struct loop_edge, PROF_ORDER(a, b, from, to))

ARRAY_COMPARE(by_frequency, struct loop_edge,
	      PROF_ORDER(a, b, from) ?: PROF_ORDER(b, a, calls) ?: PROF_ORDER(a, b, to))

static void merge_edges(struct loop_graph *g)
{
	uint32_t n = 0;

	if (!g->edges)
		return;
	ARRAY_SORT(g->edge, g->edges, by_ends);
	for (uint32_t i = 1; i < g->edges; i++) {
		struct loop_edge *to = &g->edge[n], *e = &g->edge[i];

		if (by_ends(to, e)) {
			g->edge[++n] = *e;
			continue;
		}
		PROF_ADD(to, e, calls, units, units_sq);
		to->max_units = e->max_units > to->max_units ? e->max_units : to->max_units;
	}
	g->edges = n + 1;
}

static void count_visits(struct loop_graph *g)
{
	for (const struct loop_edge *e = g->edge; e < g->edge + g->edges; e++) {
		if (e->to < g->nodes)
			g->node[e->to].in += e->calls;
		if (e->from < g->nodes)
			g->node[e->from].out += e->calls;
	}
	for (struct loop_node *n = g->node; n < g->node + g->nodes; n++)
		n->visits = n->in > n->out ? n->in : n->out;
}

struct walk {
	uint32_t *index, *low, *next; /* of each node; index 0: not met */
	uint32_t *stack, *trail;
	uint32_t met, held;
};

static void leave_node(struct loop_graph *g, struct walk *w, uint32_t n)
{
	if (w->low[n] != w->index[n])
		return;
	while (w->held) {
		uint32_t m = w->stack[--w->held];

		g->node[m].component = g->components;
		if (m == n)
			break;
	}
	g->components++;
}

static void enter_node(const struct loop_graph *g, struct walk *w, uint32_t n)
{
	w->index[n] = w->low[n] = ++w->met;
	w->next[n] = g->first[n];
	w->stack[w->held++] = n;
}

/* Tarjan (1972), "Depth-first search and linear graph algorithms", section 4. */
static void search_from(struct loop_graph *g, struct walk *w, uint32_t root)
{
	uint32_t depth = 0;

	w->trail[depth++] = root;
	enter_node(g, w, root);
	while (depth) {
		uint32_t n = w->trail[depth - 1], m;

		if (w->next[n] == g->first[n + 1]) {
			depth--;
			leave_node(g, w, n);
			if (depth && w->low[n] < w->low[w->trail[depth - 1]])
				w->low[w->trail[depth - 1]] = w->low[n];
			continue;
		}
		m = g->edge[w->next[n]++].to;
		if (m >= g->nodes)
			continue;
		if (!w->index[m]) {
			w->trail[depth++] = m;
			enter_node(g, w, m);
		} else if (g->node[m].component == UINT32_MAX && w->index[m] < w->low[n]) {
			w->low[n] = w->index[m];
		}
	}
}

static int find_components(struct loop_graph *g)
{
	uint32_t *room = calloc(5 * ((size_t)g->nodes + 1), sizeof(*room));
	struct walk w = {.index = room};

	if (!room)
		return -1;
	w.low = w.index + g->nodes;
	w.next = w.low + g->nodes;
	w.stack = w.next + g->nodes;
	w.trail = w.stack + g->nodes;
	for (uint32_t i = 0; i < g->nodes; i++)
		g->node[i].component = UINT32_MAX;
	for (uint32_t i = 0; i < g->nodes; i++)
		if (!w.index[i])
			search_from(g, &w, i);
	free(room);
	return 0;
}

int loop_graph_settle(struct loop_graph *g)
{
	merge_edges(g);
	count_visits(g);
	ARRAY_SORT(g->edge, g->edges, by_frequency);
	g->first = calloc((size_t)g->nodes + 2, sizeof(*g->first));
	if (!g->first)
		return -1;
	for (uint32_t i = 0; i < g->edges; i++)
		g->first[g->edge[i].from + 1]++;
	for (uint32_t i = 0; i <= g->nodes; i++)
		g->first[i + 1] += g->first[i];
	return find_components(g);
}

bool loop_graph_inside(const struct loop_graph *g, const struct loop_edge *e, uint32_t component)
{
	return e->from < g->nodes && e->to < g->nodes && g->node[e->from].component == component &&
	       g->node[e->to].component == component;
}

struct loop_part *loop_graph_measure(const struct loop_graph *g)
{
	struct loop_part *part = calloc((size_t)g->components + 1, sizeof(*part));

	for (uint32_t i = 0; part && i < g->components; i++)
		part[i].component = i;
	for (uint32_t i = 0; part && i < g->nodes; i++)
		part[g->node[i].component].units += g->node[i].units;
	for (uint32_t i = 0; part && i < g->edges; i++) {
		const struct loop_edge *e = &g->edge[i];
		uint32_t from = e->from < g->nodes ? g->node[e->from].component : UINT32_MAX;

		if (loop_graph_inside(g, e, from)) {
			part[from].loop = true;
			part[from].units += e->units;
		}
	}
	return part;
}
