// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds the main cycle of a loop. Following only the most frequent successor ends in the innermost
 * cycle (read -> write -> read), and the wait around it, which separates the passes, would be a
 * branch. So a walk follows the most frequent edge to a state that it has not met, and ends when it
 * is back. It starts at the state that the program called first, and at the one with most time; the
 * cycle with more time is taken. */
#include "report/loops/loop_graph.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* What is rarer than one in a hundred is no part of the main cycle: errors, new connections. */
#define RARE 100

struct search {
	const struct loop_graph *g;
	uint32_t component, head;
	uint64_t least; /* visits that a state needs to be in the cycle */
	bool *met;
	uint32_t *next; /* edge to try */
};

/* An edge counts if either end sees it often: few writes are the last before the next wait,
 * but every wait follows a write. */
static bool is_frequent(const struct loop_graph *g, const struct loop_edge *e)
{
	return e->calls >= g->node[e->from].visits / RARE ||
	       e->calls >= g->node[e->to].visits / RARE;
}

static bool may_go(const struct search *s, const struct loop_edge *e)
{
	return loop_graph_inside(s->g, e, s->component) && e->from != e->to &&
	       s->g->node[e->to].visits >= s->least && (s->least <= 1 || is_frequent(s->g, e));
}

static void go(struct search *s, uint32_t node, uint32_t *path, uint32_t *length)
{
	s->met[node] = true;
	s->next[node] = s->g->first[node];
	path[(*length)++] = node;
}

/* Depth first, with backtracking. Returns the length; 0: there is no cycle. */
static uint32_t walk_round(struct search *s, uint32_t *path)
{
	const struct loop_graph *g = s->g;
	uint32_t length = 0;

	memset(s->met, 0, g->nodes * sizeof(*s->met));
	go(s, s->head, path, &length);
	while (length) {
		uint32_t n = path[length - 1];

		if (s->next[n] == g->first[n + 1]) {
			length--;
			continue;
		}
		const struct loop_edge *e = &g->edge[s->next[n]++];
		if (!may_go(s, e))
			continue;
		if (e->to == s->head)
			return length;
		if (!s->met[e->to])
			go(s, e->to, path, &length);
	}
	return 0;
}

/* All time in the states and edges of a cycle. */
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

/* The two states to begin with, of those that are called often: the one that was called first, and
 * the one with most time. */
static void choose_heads(struct search *s, uint32_t *head)
{
	const struct loop_node *node = s->g->node;
	uint64_t most = 0;

	for (uint32_t i = 0; i < s->g->nodes; i++)
		if (node[i].component == s->component && node[i].visits > most)
			most = node[i].visits;
	s->least = most / RARE;
	head[0] = head[1] = UINT32_MAX;
	for (uint32_t i = 0; i < s->g->nodes; i++) {
		if (node[i].component != s->component || node[i].visits < s->least)
			continue;
		if (head[0] == UINT32_MAX || node[i].sums.first_at < node[head[0]].sums.first_at)
			head[0] = i;
		if (head[1] == UINT32_MAX || node[i].units > node[head[1]].units)
			head[1] = i;
	}
}

/* So that the state that was called first comes first. */
static void turn(const struct loop_graph *g, uint32_t *path, uint32_t length, uint32_t *scratch)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < length; i++)
		if (g->node[path[i]].sums.first_at < g->node[path[first]].sums.first_at)
			first = i;
	memcpy(scratch, path, length * sizeof(*path));
	for (uint32_t i = 0; i < length; i++)
		path[i] = scratch[(first + i) % length];
}

/* The longer of the cycles from both heads. */
static uint32_t find(struct search *s, uint32_t *path, uint32_t *scratch)
{
	uint32_t head[2], length, other;

	choose_heads(s, head);
	s->head = head[1];
	length = walk_round(s, path);
	s->head = head[0];
	other = walk_round(s, scratch);
	if (other && time_of(s->g, scratch, other) >= time_of(s->g, path, length)) {
		memcpy(path, scratch, other * sizeof(*path));
		length = other;
	}
	/* The frequent states alone may not be connected. */
	s->least = 1;
	if (!length)
		length = walk_round(s, path);
	/* A state that follows itself is a cycle, too. */
	if (!length)
		path[length++] = s->head;
	turn(s->g, path, length, scratch);
	return length;
}

int loop_cycle_find(const struct loop_graph *g, uint32_t component, uint32_t *path,
		    uint32_t *length)
{
	struct search s = {.g = g, .component = component};
	uint32_t *scratch = calloc((size_t)g->nodes + 1, sizeof(*scratch));
	int status = -1;

	s.met = calloc((size_t)g->nodes + 1, sizeof(*s.met));
	s.next = calloc((size_t)g->nodes + 1, sizeof(*s.next));
	if (s.met && s.next && scratch) {
		*length = find(&s, path, scratch);
		status = 0;
	}
	PROF_FREE(&s, met, next);
	free(scratch);
	return status;
}

ARRAY_COMPARE_AT(compare_states, struct loop_node, PROF_ORDER(b, a, units) ?: ARRAY_ORDER(a, b))

static void add_others(struct loop_order *o, const struct loop_graph *g, uint32_t component,
		       bool *taken)
{
	for (uint32_t i = 0; i < o->way; i++)
		taken[o->state[i]] = true;
	o->states = o->way;
	for (uint32_t i = 0; i < g->nodes; i++)
		if (!taken[i] && g->node[i].visits && g->node[i].component == component)
			o->state[o->states++] = i;
	qsort_r(o->state + o->way, o->states - o->way, sizeof(*o->state), compare_states, g->node);
}

int loop_cycle_order(struct loop_order *o, const struct loop_graph *g, uint32_t component)
{
	bool *taken = calloc((size_t)g->nodes + 1, sizeof(*taken));
	int status = -1;

	*o = (struct loop_order){.state = calloc((size_t)g->nodes + 1, sizeof(*o->state))};
	if (taken && o->state)
		status = loop_cycle_find(g, component, o->state, &o->way);
	if (!status)
		add_others(o, g, component, taken);
	free(taken);
	return status;
}
