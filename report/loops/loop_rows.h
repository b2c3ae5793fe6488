// SPDX-License-Identifier: GPL-3.0-or-later
/* From a graph of calls to the rows that a loop is printed as; private to report/. */
#ifndef SCPROF_REPORT_LOOPS_LOOP_ROWS_H
#define SCPROF_REPORT_LOOPS_LOOP_ROWS_H

#include "report/loops/loop.h"
#include "report/loops/loop_graph.h"

struct loop_rows {
	const struct report *report;
	const struct loop_limits *limits;
	const struct loop_graph *graph;
	struct loop *loop; /* with room for its cycles */
	uint64_t units;	   /* that its rows must add up to */
	uint64_t inside;   /* of them in cycles so far */
	uint32_t room;
};

/* A new row of nothing yet. NULL: out of memory. */
struct loop_row *loop_shares_add(struct loop_rows *w, enum loop_kind kind);

/* Add a cycle with its rows. -1: out of memory. */
int loop_rows_cycle(struct loop_rows *w, uint32_t component);
/* The same for threads without any loop. */
int loop_rows_chain(struct loop_rows *w);

/* The last row, and all percentages. -1: out of memory. */
int loop_shares_finish(struct loop_rows *w);

#endif
