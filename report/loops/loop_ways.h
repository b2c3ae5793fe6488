// SPDX-License-Identifier: GPL-3.0-or-later
/* The states of a loop in the order in which they are shown; private to report/. */
#ifndef SCPROF_REPORT_LOOPS_LOOP_WAYS_H
#define SCPROF_REPORT_LOOPS_LOOP_WAYS_H

#include "report/loops/loop.h"
#include "report/loops/loop_graph.h"

struct loop_ways {
	uint32_t *state; /* nodes: of the main cycle, of other cycles, then the rest by time */
	uint32_t *next;	 /* of each in its cycle: a node, or `nodes` for the end of the thread */
	uint32_t *way;	 /* cycle of each: 1 the main one; 0: none */
	uint32_t states, ways;
	uint32_t way_states[LOOP_WAYS];
};

/* The cycles of a component; PROF_NONE: the one path of a graph without loops. Cycles after the
 * first have at least `least_units` of time. -1: out of memory; call loop_ways_end in any case. */
int loop_ways_find(struct loop_ways *w, const struct loop_graph *g, uint32_t component,
		   double least_units);
void loop_ways_end(struct loop_ways *w);

#endif
