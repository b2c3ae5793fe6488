// SPDX-License-Identifier: GPL-3.0-or-later
/* Each path is walked from the outermost frame inwards; edges are numbered by their ends, then by
 * line. */
#include "report/render/stacks/graph.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/model/model.h"

/* The current position in a path: the function entered last, and the line in it. */
struct walk {
	uint32_t function;
	int line;
	uint32_t stamp; /* of this path */
	struct graph_cost cost;
};

static void add_cost(struct graph_cost *to, const struct graph_cost *more)
{
	for (unsigned i = 0; i < REPORT_WEIGHTS; i++)
		to->value[i] += more->value[i];
}

/* NULL: out of memory. */
static struct graph_edge *find_edge(struct graph *g, uint32_t from, int line, uint32_t to)
{
	uint32_t ends = pairs_add(&g->ends, from, to), number;

	if (ends == PAIRS_NONE)
		return NULL;
	number = pairs_add(&g->lines, ends, (uint32_t)line);
	if (!array_reach((void **)&g->edge, &g->edge_room, number, sizeof(*g->edge), 0))
		return NULL;
	if (number == g->edges)
		g->edge[g->edges++] = (struct graph_edge){
			.from = from, .to = to, .line = line, .stamp = UINT32_MAX};
	return &g->edge[number];
}

/* One step inwards. */
static int enter(struct graph *g, struct walk *w, uint32_t function, int line)
{
	struct graph_edge *edge;

	if (function == STRING_INDEX_NONE)
		return -1;
	if (w->function != STRING_INDEX_NONE) {
		edge = find_edge(g, w->function, w->line, function);
		if (!edge)
			return -1;
		if (edge->stamp != w->stamp)
			add_cost(&edge->cost, &w->cost);
		edge->stamp = w->stamp;
	}
	w->function = function;
	w->line = line;
	return 0;
}

static int enter_frame(struct graph *g, struct walk *w, const struct prof_frame *frame)
{
	uint32_t number = stacks_frame(&g->stacks, frame);

	if (number == STRING_INDEX_NONE)
		return -1;
	for (uint32_t i = g->stacks.frame[number].places; i-- > 0;) {
		const struct stacks_place *p = &g->stacks.place[g->stacks.frame[number].first + i];

		if (enter(g, w, p->function, p->line) < 0)
			return -1;
	}
	return 0;
}

static int add_own(struct graph *g, uint32_t function, const struct graph_cost *cost)
{
	if (function >= g->own_room) {
		uint32_t room = g->stacks.functions * 2;
		struct graph_cost *grown = realloc(g->own, room * sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + g->own_room, 0, (room - g->own_room) * sizeof(*grown));
		g->own = grown;
		g->own_room = room;
	}
	add_cost(&g->own[function], cost);
	add_cost(&g->total, cost);
	return 0;
}

static int add_site(struct graph *g, const struct report_site *site, uint32_t stamp)
{
	struct walk w = {.function = stacks_program(&g->stacks, site), .stamp = stamp};
	uint32_t outer = stacks_outer(&g->stacks, site);

	for (enum report_weight i = 0; i < REPORT_WEIGHTS; i++)
		w.cost.value[i] = report_weight_find(i)->of(site);
	if (outer != STRING_INDEX_NONE && enter(g, &w, outer, 0) < 0)
		return -1;
	for (uint32_t i = site->frames; i-- > 0;)
		if (enter_frame(g, &w, &site->frame[i]) < 0)
			return -1;
	if (enter(g, &w, stacks_leaf(&g->stacks, site, true), 0) < 0)
		return -1;
	return add_own(g, w.function, &w.cost);
}

static int compare_edges(const void *left, const void *right)
{
	const struct graph_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Functions that have no cost of their own need a place as well. */
static int complete_own(struct graph *g)
{
	static const struct graph_cost nothing;

	return g->stacks.functions ? add_own(g, g->stacks.functions - 1, &nothing) : 0;
}

int graph_begin(struct graph *g, struct report *r, uint32_t rows)
{
	int status;

	memset(g, 0, sizeof(*g));
	status = stacks_begin(&g->stacks, r);
	for (uint32_t i = 0; status == 0 && i < rows; i++)
		status = add_site(g, &r->site[i], i);
	if (status == 0)
		status = complete_own(g);
	pairs_clear(&g->ends); /* sorting moves the edges */
	pairs_clear(&g->lines);
	if (g->edges)
		qsort(g->edge, g->edges, sizeof(*g->edge), compare_edges);
	return status;
}

void graph_end(struct graph *g)
{
	stacks_end(&g->stacks);
	free(g->edge);
	free(g->own);
}
