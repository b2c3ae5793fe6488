// SPDX-License-Identifier: GPL-3.0-or-later
/* Which of a loop's many cycles a reader would call the loop. Following the most frequent
 * successor alone ends in the innermost one (read -> write -> read), and the wait around it,
 * which tells the passes, would be a branch. So a walk goes on by the most frequent edge to a
 * state not met yet, and ends when it is back. It starts at the state that the program called
 * first, at that most visited, and at that of most time; the round with most time is taken. */
#include "loop_graph.h"

#include <stdlib.h>
#include <string.h>

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

static uint32_t longest(const struct loop_graph *g, uint32_t component, uint64_t least)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (g->node[i].component == component && g->node[i].visits >= least &&
		    (best == UINT32_MAX || g->node[i].units > g->node[best].units))
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

/* The time of the states and edges of a round, in all its passes together. */
static uint64_t time_of(const struct loop_graph *g, const uint32_t *path, uint32_t length)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < length; i++) {
		units += g->node[path[i]].units;
		for (uint32_t k = g->first[path[i]]; k < g->first[path[i] + 1]; k++)
			if (g->edge[k].to == path[(i + 1) % length])
				units += g->edge[k].units;
	}
	return units;
}

/* Keep the round from `head` in path[] if it is longer in time than the one there. */
static uint32_t try_from(struct search *s, uint32_t head, uint32_t *path, uint32_t length,
			 uint32_t *scratch)
{
	uint32_t other;

	if (head == UINT32_MAX)
		return length;
	for (uint32_t i = 0; i < s->g->nodes; i++)
		s->met[i] = false;
	s->head = head;
	other = walk_round(s, scratch);
	if (!other || (length && time_of(s->g, scratch, other) <= time_of(s->g, path, length)))
		return length;
	memcpy(path, scratch, other * sizeof(*path));
	return other;
}

/* So that the state that was called first comes first. */
static void turn(const struct loop_graph *g, uint32_t *path, uint32_t length, uint32_t *scratch)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < length; i++)
		if (g->node[path[i]].sums.first_at < g->node[path[first]].sums.first_at ||
		    (g->node[path[i]].sums.first_at == g->node[path[first]].sums.first_at &&
		     path[i] < path[first]))
			first = i;
	for (uint32_t i = 0; i < length; i++)
		scratch[i] = path[(first + i) % length];
	memcpy(path, scratch, length * sizeof(*path));
}

static uint32_t find_cycle(struct search *s, uint32_t *path, uint32_t *scratch)
{
	const struct loop_graph *g = s->g;
	uint32_t most = most_visited(g, s->component), length;

	s->least = g->node[most].visits / RARE;
	length = try_from(s, first_called(g, s->component, s->least), path, 0, scratch);
	length = try_from(s, most, path, length, scratch);
	length = try_from(s, longest(g, s->component, s->least), path, length, scratch);
	/* The frequent states alone may not be connected; a state that follows itself, and is
	 * met alone, is a cycle too. */
	s->least = 1;
	if (!length)
		length = try_from(s, first_called(g, s->component, 1), path, 0, scratch);
	if (!length)
		path[length++] = most;
	turn(g, path, length, scratch);
	return length;
}

uint32_t loop_graph_cycle(const struct loop_graph *g, uint32_t component, uint32_t *path)
{
	struct search s = {.g = g, .component = component};
	uint32_t *scratch = calloc((size_t)g->nodes + 1, sizeof(*scratch)), length = 0;

	s.met = calloc((size_t)g->nodes + 1, sizeof(*s.met));
	s.next = calloc((size_t)g->nodes + 1, sizeof(*s.next));
	if (s.met && s.next && scratch)
		length = find_cycle(&s, path, scratch);
	free(s.met);
	free(s.next);
	free(scratch);
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
