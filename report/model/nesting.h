// SPDX-License-Identifier: GPL-3.0-or-later
/* Which calls of a row are inside other recorded calls: their time is those calls' time, too.
 * Known from the gaps, which lie between calls that are inside no other. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_NESTING_H
#define SCPROF_REPORT_MODEL_NESTING_H

#include "report/model/groups.h"

struct nesting {
	const struct profile *profile;
	bool any;	    /* some call is inside another */
	uint64_t *in, *out; /* by entry: gaps that end, and begin, at its calls; NULL without any */
	bool *told;	    /* by table: its gaps are complete; likewise. Of others all is outer */
	uint32_t *outers;   /* by table: entries with calls inside them; likewise */
};

/* -1: out of memory; call nesting_end in any case. */
int nesting_begin(struct nesting *n, const struct profile *p);
void nesting_end(struct nesting *n);

struct nesting_row {
	uint64_t outer_calls; /* inside no other recorded call */
	double outer_part;    /* of the row's time: estimated by the calls where only some are */
	/* Of the row's time, in clock units: outside of the recorded calls inside it. NAN: the
	 * profile does not tell. */
	double self_units;
};

/* Of a row's entries. */
struct nesting_row nesting_of(const struct nesting *n, const struct groups *g,
			      const struct group_row *row);

#endif
