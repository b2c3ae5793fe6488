// SPDX-License-Identifier: GPL-3.0-or-later
/* Which threads repeat the same loop. Private to report/. */
#ifndef SCPROF_REPORT_LOOPS_LOOP_THREADS_H
#define SCPROF_REPORT_LOOPS_LOOP_THREADS_H

#include "report/loops/loop_graph.h"
#include "report/report.h"

/* A profile's entries and gaps by table. */
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

/* Fill all but the groups. -1: out of memory; call loop_tables_end in any case. */
int loop_tables_begin(struct loop_tables *t, const struct report *r, const uint32_t *site_of);
void loop_tables_end(struct loop_tables *t);

/* Fill group, order and groups. -1: out of memory. */
int loop_threads_group(struct loop_tables *t);

/* The settled graph of the calls and gaps of some tables together. -1: out of memory. */
int loop_tables_graph(struct loop_tables *t, const uint32_t *table, uint32_t tables,
		      struct loop_graph *g);

#endif
