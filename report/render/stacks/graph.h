// SPDX-License-Identifier: GPL-3.0-or-later
/* The call paths of a report folded into a graph: who calls whom, from which
 * line, and what that costs with all that is called from there.
 *
 * Cost is the timed calls' (REPORT_WEIGHT_*, weights.h): only they have some of their
 * own. On a recursive path an edge counts once, so that no cost is counted
 * twice at any edge. */
#ifndef SCPROF_REPORT_RENDER_STACKS_GRAPH_H
#define SCPROF_REPORT_RENDER_STACKS_GRAPH_H

#include "report/containers/pairs.h"
#include "report/render/stacks/stacks.h"

struct graph_cost {
	uint64_t value[REPORT_WEIGHTS];
};

/* Functions are numbers of `stacks`. */
struct graph_edge {
	uint32_t from, to;
	int line;	/* in `from`; 0: not known */
	uint32_t stamp; /* private */
	struct graph_cost cost;
};

struct graph {
	struct stacks stacks;
	struct graph_edge *edge; /* by from, line, to */
	uint32_t edges;
	struct graph_cost *own; /* of each function of `stacks` */
	struct graph_cost total;

	uint32_t edge_room, own_room; /* private */
	struct pairs ends, lines;     /* private */
};

/* Of the first `rows` sites. -1: out of memory. graph_end is due either way. */
int graph_begin(struct graph *g, struct report *r, uint32_t rows);
void graph_end(struct graph *g);

#endif
