// SPDX-License-Identifier: GPL-3.0-or-later
/* The calls of a thread as a graph: a node is a site with top-level calls, an edge the gaps
 * from one site to the next. Private to report/.
 *
 * Where a thread starts or ends the edge's other end is `nodes` of the graph, one beyond the
 * last node. A loop is a strongly connected component with an edge inside. */
#ifndef SCPROF_REPORT_LOOPS_LOOP_GRAPH_H
#define SCPROF_REPORT_LOOPS_LOOP_GRAPH_H

#include "profile/profile.h"

struct loop_node {
	uint32_t site;
	uint32_t component;
	uint64_t in, out; /* gaps that lead here, and away */
	uint64_t visits;  /* top-level calls: the larger of both */
	uint64_t units;	  /* their time, nested calls included */
	bool apportioned; /* units are an estimated part: some calls were nested, or overlapped */
	struct prof_sums sums; /* of all calls, owned; no histogram, phases, slow clock, line */
};

struct loop_edge {
	uint32_t from, to;
	bool overlap; /* not recorded: the second began before the first had ended */
	uint64_t calls, units, max_units;
	prof_u128 units_sq;
};

struct loop_graph {
	struct loop_node *node;
	struct loop_edge *edge; /* settled: by node, then the most frequent first */
	uint32_t *first;	/* settled: of the edges from node i, and from the start */
	uint32_t nodes, edges, components;
	uint32_t node_room, edge_room;
};

void loop_graph_clear(struct loop_graph *g);

/* A new node or edge, zeroed; NULL: out of memory. */
struct loop_node *loop_graph_node(struct loop_graph *g);
struct loop_edge *loop_graph_edge(struct loop_graph *g);

/* Put equal edges together and sort them, count visits, bridge overlaps, and find the
 * components. To be called once, when all is in. -1: out of memory. */
int loop_graph_settle(struct loop_graph *g);

struct loop_part {
	bool loop; /* has an edge inside */
	uint64_t units;
};
/* Each component's own time: that of its nodes and of the edges inside. */
void loop_graph_measure(const struct loop_graph *g, struct loop_part *part);

/* Whether both ends of an edge lie in a component. */
bool loop_graph_inside(const struct loop_graph *g, const struct loop_edge *e, uint32_t component);

/* The cycle with most time in a loop, among states that are not taken, into path[] (room for
 * all nodes), beginning with the state that was called first. *length 0: there is none, which
 * cannot be while nothing is taken. -1: out of memory. */
int loop_cycle_find(const struct loop_graph *g, uint32_t component, const bool *taken,
		    uint32_t *path, uint32_t *length);

/* The time of a cycle's states and edges, in all passes together. */
uint64_t loop_cycle_time(const struct loop_graph *g, const uint32_t *path, uint32_t length);

/* In a graph without loops: the most frequent path from start to end. Returns its length. */
uint32_t loop_cycle_chain(const struct loop_graph *g, uint32_t *path);

#endif
