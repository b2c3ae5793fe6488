// SPDX-License-Identifier: GPL-3.0-or-later
/* Which of a loop's many cycles is the main one. Following only the most frequent successor ends
 * in the innermost cycle (read -> write -> read), and the wait around it, which separates the
 * passes, would be a branch. So a walk follows the most frequent edge to a state that it has not
 * met, and ends when it is back. It starts at the state that the program called first, at the most
 * visited one, and at the one with most time; the cycle with most time is taken. */
#include "report/loops/loop_graph.h"

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

struct search {
	const struct loop_graph *g;
	uint32_t component, head;
	const bool *taken;
	uint64_t least; /* visits that a state needs to be in the cycle */
	bool *met;
	uint32_t *next; /* edge to try */
};

/* The first of a component that is before all others in some order. */
static uint32_t best_of(const struct search *s,
			bool (*before)(const struct loop_node *a, const struct loop_node *b))
{
	const struct loop_node *node = s->g->node;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < s->g->nodes; i++)
		if (node[i].component == s->component && node[i].visits >= s->least &&
		    !s->taken[i] && (best == UINT32_MAX || before(&node[i], &node[best])))
			best = i;
	return best;
}

static bool more_visits(const struct loop_node *a, const struct loop_node *b)
{
	return a->visits > b->visits;
}

static bool more_time(const struct loop_node *a, const struct loop_node *b)
{
	return a->units > b->units;
}

static bool called_before(const struct loop_node *a, const struct loop_node *b)
{
	return a->sums.first_at < b->sums.first_at;
}

static bool may_go(const struct search *s, const struct loop_edge *e)
{
	return loop_graph_inside(s->g, e, s->component) && e->from != e->to && !s->taken[e->to] &&
	       s->g->node[e->to].visits >= s->least && (s->least <= 1 || is_frequent(s->g, e));
}

/* Depth first, with backtracking. Returns the length; 0: there is no cycle. */
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

uint64_t loop_cycle_time(const struct loop_graph *g, const uint32_t *path, uint32_t length)
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

/* Keep the cycle from `head` in path[] if it has more time than the one there. */
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
	if (!other || (length && loop_cycle_time(s->g, scratch, other) <=
					 loop_cycle_time(s->g, path, length)))
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
	uint32_t most = best_of(s, more_visits), length;

	if (most == UINT32_MAX)
		return 0;
	s->least = g->node[most].visits / RARE;
	length = try_from(s, best_of(s, called_before), path, 0, scratch);
	length = try_from(s, most, path, length, scratch);
	length = try_from(s, best_of(s, more_time), path, length, scratch);
	/* The frequent states alone may not be connected. */
	s->least = 1;
	if (!length)
		length = try_from(s, best_of(s, called_before), path, 0, scratch);
	turn(g, path, length, scratch);
	return length;
}

/* A state that follows itself is a cycle, too. */
static uint32_t alone(const struct search *s, uint32_t *path)
{
	for (uint32_t i = 0; i < s->g->nodes; i++)
		if (s->taken[i] && s->g->node[i].component == s->component)
			return 0;
	path[0] = best_of(s, more_visits);
	return path[0] != UINT32_MAX;
}

int loop_cycle_find(const struct loop_graph *g, uint32_t component, const bool *taken,
		    uint32_t *path, uint32_t *length)
{
	struct search s = {.g = g, .component = component, .taken = taken};
	uint32_t *scratch = calloc((size_t)g->nodes + 1, sizeof(*scratch));
	int status = -1;

	s.met = calloc((size_t)g->nodes + 1, sizeof(*s.met));
	s.next = calloc((size_t)g->nodes + 1, sizeof(*s.next));
	if (s.met && s.next && scratch) {
		*length = find_cycle(&s, path, scratch);
		s.least = 0;
		if (!*length)
			*length = alone(&s, path);
		status = 0;
	}
	free(s.met);
	free(s.next);
	free(scratch);
	return status;
}

uint32_t loop_cycle_chain(const struct loop_graph *g, uint32_t *path)
{
	uint32_t at = g->nodes, length = 0;

	while (length < g->nodes && g->first[at] < g->first[at + 1] &&
	       g->edge[g->first[at]].to < g->nodes) {
		at = g->edge[g->first[at]].to;
		path[length++] = at;
	}
	return length;
}

/* A loop may contain several cycles: a reader and a writer of one poll, or a phase before the work
 * whose calls come from the same sites. */

static void add_way(struct loop_ways *w, const struct loop_graph *g, const uint32_t *path,
		    uint32_t length, bool closed, bool *taken)
{
	for (uint32_t i = 0; i < length; i++) {
		uint32_t next = i + 1 < length ? path[i + 1] : closed ? path[0] : g->nodes;

		w->state[w->states] = path[i];
		w->next[w->states] = next;
		w->way[w->states++] = w->ways + 1;
		taken[path[i]] = true;
	}
	w->way_states[w->ways++] = length;
}

static int find_ways(struct loop_ways *w, const struct loop_graph *g, uint32_t component,
		     double least_units, uint32_t *path, bool *taken)
{
	if (component == PROF_NONE) {
		add_way(w, g, path, loop_cycle_chain(g, path), false, taken);
		return 0;
	}
	while (w->ways < LOOP_WAYS) {
		uint32_t length;

		if (loop_cycle_find(g, component, taken, path, &length) < 0)
			return -1;
		if (!length || (w->ways && (double)loop_cycle_time(g, path, length) < least_units))
			break;
		add_way(w, g, path, length, true, taken);
	}
	return 0;
}

static int compare_states(const void *left, const void *right, void *graph)
{
	const struct loop_graph *g = graph;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (g->node[a].units != g->node[b].units)
		return g->node[a].units > g->node[b].units ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void add_others(struct loop_ways *w, const struct loop_graph *g, uint32_t component,
		       const bool *taken)
{
	uint32_t first = w->states;

	for (uint32_t i = 0; i < g->nodes; i++)
		if (!taken[i] && g->node[i].visits &&
		    (component == PROF_NONE || g->node[i].component == component)) {
			w->next[w->states] = UINT32_MAX;
			w->state[w->states++] = i;
		}
	qsort_r(w->state + first, w->states - first, sizeof(*w->state), compare_states, (void *)g);
}

int loop_cycle_ways(struct loop_ways *w, const struct loop_graph *g, uint32_t component,
		    double least_units)
{
	uint32_t *path = calloc((size_t)g->nodes + 1, sizeof(*path));
	bool *taken = calloc((size_t)g->nodes + 1, sizeof(*taken));
	int status = -1;

	memset(w, 0, sizeof(*w));
	w->state = calloc((size_t)g->nodes + 1, sizeof(*w->state));
	w->next = calloc((size_t)g->nodes + 1, sizeof(*w->next));
	w->way = calloc((size_t)g->nodes + 1, sizeof(*w->way));
	if (path && taken && w->state && w->next && w->way)
		status = find_ways(w, g, component, least_units, path, taken);
	if (!status)
		add_others(w, g, component, taken);
	free(path);
	free(taken);
	return status;
}

void loop_cycle_ways_end(struct loop_ways *w)
{
	free(w->state);
	free(w->next);
	free(w->way);
}
