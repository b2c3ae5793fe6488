// SPDX-License-Identifier: GPL-3.0-or-later
/* Which of a loop's many cycles a reader would call the loop. Following the most frequent
 * successor alone ends in the innermost one (read -> write -> read), and the wait around it,
 * which tells the passes, would be a branch. So the walk starts where the program did, goes on
 * by the most frequent edge to a state not met yet, and ends when it is back. */
#include "loop_graph.h"

#include <stdlib.h>

/* What is rarer than one in a hundred is no part of the main cycle: errors, new connections. */
#define RARE 100

/* An edge counts if either end sees it often: few writes are the last before the next wait,
 * but every wait follows a write. */
static bool is_frequent(const struct loop_graph *g, const struct loop_edge *e)
{
	return e->calls >= g->node[e->from].visits / RARE ||
	       e->calls >= g->node[e->to].visits / RARE;
}

static uint32_t most_visited(const struct loop_graph *g, uint32_t component)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].component == component &&
		    (best == UINT32_MAX || g->node[i].visits > g->node[best].visits))
			best = i;
	return best;
}

static uint32_t first_called(const struct loop_graph *g, uint32_t component, uint64_t least)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].component == component && g->node[i].visits >= least &&
		    (best == UINT32_MAX || g->node[i].sums.first_at < g->node[best].sums.first_at))
			best = i;
	return best;
}

struct search {
	const struct loop_graph *g;
	uint32_t component, head;
	uint64_t least; /* visits of a state that may lie on the way */
	bool *met;
	uint32_t *next; /* edge to try */
};

static bool may_go(const struct search *s, const struct loop_edge *e)
{
	return loop_graph_inside(s->g, e, s->component) && e->from != e->to &&
	       s->g->node[e->to].visits >= s->least && (s->least <= 1 || is_frequent(s->g, e));
}

/* Depth first; a way that leads nowhere is taken back. 0: there is none. */
static uint32_t walk_round(struct search *s, uint32_t *path)
{
	const struct loop_graph *g = s->g;
	uint32_t length = 0;

	path[length++] = s->head;
	s->met[s->head] = true;
	s->next[s->head] = g->first[s->head];
	while (length) {
		uint32_t n = path[length - 1];
		const struct loop_edge *e;

		if (s->next[n] == g->first[n + 1]) {
			length--;
			continue;
		}
		e = &g->edge[s->next[n]++];
		if (!may_go(s, e))
			continue;
		if (e->to == s->head)
			return length;
		if (s->met[e->to])
			continue;
		s->met[e->to] = true;
		s->next[e->to] = g->first[e->to];
		path[length++] = e->to;
	}
	return 0;
}

static uint32_t walk_with(struct search *s, uint64_t least, uint32_t *path)
{
	for (uint32_t i = 0; i < s->g->nodes; i++)
		s->met[i] = false;
	s->least = least;
	s->head = first_called(s->g, s->component, least);
	return walk_round(s, path);
}

uint32_t loop_graph_cycle(const struct loop_graph *g, uint32_t component, uint32_t *path)
{
	struct search s = {.g = g, .component = component};
	uint32_t most = most_visited(g, component), length;

	s.met = calloc((size_t)g->nodes + 1, sizeof(*s.met));
	s.next = calloc((size_t)g->nodes + 1, sizeof(*s.next));
	if (!s.met || !s.next) {
		free(s.met);
		free(s.next);
		return 0;
	}
	length = walk_with(&s, g->node[most].visits / RARE, path);
	/* The frequent states alone may not be connected; a state that follows itself, and is
	 * met alone, is a cycle too. */
	if (!length)
		length = walk_with(&s, 1, path);
	if (!length) {
		path[0] = most;
		length = 1;
	}
	free(s.met);
	free(s.next);
	return length;
}

uint32_t loop_graph_chain(const struct loop_graph *g, uint32_t *path)
{
	uint32_t at = g->nodes, length = 0;

	while (length < g->nodes && g->first[at] < g->first[at + 1] &&
	       g->edge[g->first[at]].to < g->nodes) {
		at = g->edge[g->first[at]].to;
		path[length++] = at;
	}
	return length;
}
