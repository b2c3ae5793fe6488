// SPDX-License-Identifier: GPL-3.0-or-later
/* A loop may contain several cycles: a reader and a writer of one poll, or a phase before the work
 * whose calls come from the same sites. */
#include "report/loops/loop_ways.h"

#include <stdlib.h>
#include <string.h>

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

int loop_ways_find(struct loop_ways *w, const struct loop_graph *g, uint32_t component,
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

void loop_ways_end(struct loop_ways *w)
{
	free(w->state);
	free(w->next);
	free(w->way);
}
