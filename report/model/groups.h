// SPDX-License-Identifier: GPL-3.0-or-later
/* Which entries of a profile are one row of a report. Private to report/.
 *
 * Made for a million rows: only numbers are kept of each, so that sums, of which
 * a row needs a kilobyte while it is worked out, are made one row at a time. */
#ifndef SCPROF_REPORT_MODEL_GROUPS_H
#define SCPROF_REPORT_MODEL_GROUPS_H

#include "profile/base/number_table.h"
#include "report/report.h"

#define GROUP_OVERFLOW PROF_NONE /* as `first`: calls of `function` that found no room */

struct group_row {
	uint64_t units, calls;
	uint32_t function : 28, outcome : 3; /* a file has room for 2^24 functions */
	uint32_t noted : 1;		     /* by the caller: see groups_order_sort */
	uint32_t path;	/* of several that are folded, the one of the longest entry */
	uint32_t first; /* its first entry; the others by `next`, in the profile's order */
};
_Static_assert(SCP_OUTCOMES <= 8, "outcomes have three bits");

struct groups {
	const struct profile *profile;
	enum report_by by;
	enum report_sort sort;	    /* for groups_order_sort; time unless set */
	const uint32_t *program_of; /* by process; borrowed. NULL: programs are not kept apart */
	struct group_row *row;
	uint32_t *place; /* by number of row: where it is in the report's order */
	uint32_t rows;
	uint32_t *next;	      /* by entry: the next one of the same row, PROF_NONE: last */
	uint32_t *site_of;    /* by entry: the place of its row */
	bool *waits;	      /* by function, as waiting.h has it */
	const uint32_t *fold; /* by path: equal numbers are one row; NULL: each is its own */
	/* By function: the frames of rows that are of one function of an interpreted language. To
	 * be kept for as long as paths of rows are. */
	struct prof_frame *caller;

	struct number_table table;	       /* private: of rows */
	uint32_t *last;			       /* private: last entry of a row */
	uint64_t *longest;		       /* private: units of its longest entry */
	uint32_t *function_rank, *module_rank; /* private: equal names have equal ranks */
};

/* What the grouping keeps of a path. */
struct group_path {
	const struct prof_frame *frame;
	uint32_t frames, flags;
};

/* Rows, without their places. `fold`: by path, from path_fold_numbers, or NULL; it must outlive the
 * groups. `program_of`: by process; no row is of two programs; or NULL. -1: out of memory; call
 * groups_free in any case. */
int groups_make(struct groups *g, const struct profile *p, enum report_by by, const uint32_t *fold,
		const uint32_t *program_of);
/* The program of a row; REPORT_NO_PROGRAM: not apart, or overflow. */
uint32_t groups_program(const struct groups *g, const struct group_row *row);
void groups_free(struct groups *g);

/* How many different call paths a row's entries have; UINT32_MAX: out of memory. */
uint32_t groups_paths(const struct groups *g, const struct group_row *row);

struct group_path groups_path(const struct groups *g, const struct group_row *row);

#endif
