// SPDX-License-Identifier: GPL-3.0-or-later
/* What threads repeat: each thread's cycle of top-level calls and the gaps between them, after
 * Beilner's Table 17, which divides a loop into adjacent intervals and checks their sum against the
 * whole cycle. For all threads of a report. Private to report/.
 *
 * Threads that repeat the same loop are one loop here. All numbers are ready to be printed:
 * permille of the rows of a loop add up to 1000. Times are means over all calls, first ones
 * too, so that they add up; a call's are without the wrapper's part, which has rows of its own. */
#pragma once

#include "report/report.h"

enum loop_kind {
	LOOP_STATE,  /* calls of a site */
	LOOP_EDGE,   /* gaps from one site to another */
	LOOP_OTHERS, /* states and edges of the cycle that have no row */
	LOOP_SCPROF, /* what the wrapper added inside the cycle's calls */
	LOOP_OUTSIDE /* start, end, and what is in none of the cycles; of no cycle */
};

struct loop_row {
	enum loop_kind kind;
	uint32_t from, to; /* sites; a state's are equal; PROF_NONE: start, end of the thread */
	bool way;	   /* it is part of the main cycle */
	bool apportioned;  /* of calls that were partly nested: an estimated part, no interval */
	uint32_t states, edges; /* folded ones: how many */
	uint64_t calls;
	double per_pass;	       /* calls a pass */
	struct mean_interval estimate; /* of a call or gap; folded ones: the mean alone */
	double total_ns, pass_ns;      /* in all, a pass */
	double share;		       /* of the threads' time; NAN: they have none */
	int32_t permille;
	int32_t chance; /* edges: permille of what follows the state */
};

struct loop_cycle {
	uint32_t row,
		rows; /* the loop's, from row on: states by cycle, each with its edges behind it */
	uint64_t passes; /* visits of the first state */
	/* Mean of a pass, as measured: the sum of the rows' pass_ns. The limits are the sum of
	 * theirs, which is safe for any dependence between them, given how often each was
	 * passed; a row without limits counts with its mean. */
	double mean_ns, low_ns, high_ns;
	double total_ns, share;
	int32_t permille;
};

struct loop_thread {
	const char *name;
	uint32_t pid, tid, threads;
};

struct loop {
	struct loop_thread *thread; /* longest first */
	struct loop_cycle *cycle;   /* longest first */
	struct loop_row *row;
	uint32_t tables, cycles, rows;
	uint32_t threads;
	bool one_name; /* all have the first one's */
	uint64_t calls;
	double time_ns, share; /* of all threads' time */
	double cycles_ns;      /* of all rows but the last, if that is outside */
	double recording_ns;   /* the library's own, of time_ns and in no row */
	double remainder_ns;   /* recorded time less that and the rows': 0 unless some was lost */
	int64_t remainder_units;
};

struct loop_report {
	struct loop *loop; /* longest first */
	uint32_t loops;
};

/* What gets a row of its own. */
struct loop_limits {
	uint32_t states;     /* of a cycle */
	double least_share;  /* of the threads' time, for cycles but the first */
	double least_row;    /* likewise for states and edges off the main way */
	double least_chance; /* or of its state's successors */
};
extern const struct loop_limits loop_limits_none;

/* site_of: of each entry of the profile. NULL: out of memory. */
struct loop_report *loop_build(const struct report *r, const uint32_t *site_of,
			       const struct loop_limits *limits);
void loop_free(struct loop_report *l);
