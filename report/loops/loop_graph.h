// SPDX-License-Identifier: GPL-3.0-or-later
/* From the calls of threads to the rows of their loops; private to report/. */
#pragma once

#include "report/loops/loop.h"

/* The calls of a thread as a graph: a node is a site with top-level calls, an edge the gaps from
 * one site to the next. Where a thread starts or ends the edge's other end is `nodes` of the graph,
 * one beyond the last node. A loop is a strongly connected component with an edge inside. */
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
	uint64_t calls, units, max_units;
	prof_u128 units_sq;
};

struct loop_graph {
	struct loop_node *node;
	struct loop_edge *edge; /* settled: by node, then the most frequent first */
	uint32_t *first;	/* settled: of the edges from node i, and from the start */
	uint32_t nodes, edges, components;
};

void loop_graph_clear(struct loop_graph *g);
/* Put equal edges together and sort them, count visits, and find the components. To be called once,
 * when all nodes and edges have been appended. -1: out of memory. */
int loop_graph_settle(struct loop_graph *g);

struct loop_part {
	uint32_t component;
	bool loop; /* has an edge inside */
	uint64_t units;
};
/* Each component's own time: that of its nodes and of the edges inside. To be freed; NULL: out of
 * memory. */
struct loop_part *loop_graph_measure(const struct loop_graph *g);
/* Whether both ends of an edge lie in a component. */
bool loop_graph_inside(const struct loop_graph *g, const struct loop_edge *e, uint32_t component);
/* The main cycle of a loop into path[] (room for all nodes), beginning with the state that was
 * called first. -1: out of memory. */
int loop_cycle_find(const struct loop_graph *g, uint32_t component, uint32_t *path,
		    uint32_t *length);

/* The states of a loop in the order in which they are shown. */
struct loop_order {
	uint32_t *state; /* nodes: of the main cycle, then the rest by time; to be freed */
	uint32_t states;
	uint32_t way; /* how many are of the main cycle */
};
/* Of a component. -1: out of memory. */
int loop_cycle_order(struct loop_order *o, const struct loop_graph *g, uint32_t component);

/* From a graph of calls to the rows that a loop is printed as. */
struct loop_rows {
	const struct report *report;
	const struct loop_limits *limits;
	const struct loop_graph *graph;
	struct loop *loop; /* with room for its cycles */
	uint64_t units;	   /* that its rows must add up to */
	uint64_t inside;   /* of them in cycles so far */
};

/* Add a cycle with its rows. -1: out of memory. */
int loop_rows_cycle(struct loop_rows *w, uint32_t component);
/* The last row, and all percentages. -1: out of memory. */
int loop_rows_finish(struct loop_rows *w);

/* Which threads repeat the same loop: a profile's entries and gaps by table. */
struct loop_tables {
	const struct profile *profile;
	const uint32_t *site_of;
	uint32_t *entry, *entries_from; /* of table t: entry[entries_from[t]] and on */
	uint32_t *gap, *gaps_from;
	uint32_t *node_of; /* scratch: of each site */
	uint32_t *group;   /* of each table, numbered by their longest one's time */
	uint32_t *order;   /* tables by group, then time */
	uint32_t groups;
};

/* Fill all but the groups. -1: out of memory; call loop_threads_end in any case. */
int loop_threads_begin(struct loop_tables *t, const struct report *r, const uint32_t *site_of);
void loop_threads_end(struct loop_tables *t);
/* Fill group, order and groups. -1: out of memory. */
int loop_threads_group(struct loop_tables *t);
/* The settled graph of the calls and gaps of some tables together. -1: out of memory. */
int loop_threads_graph(struct loop_tables *t, const uint32_t *table, uint32_t tables,
		       struct loop_graph *g);
