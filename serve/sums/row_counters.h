// SPDX-License-Identifier: GPL-3.0-or-later
/* What one process has in each published row, so that the next reading can add the difference. If
 * any sum has decreased, nothing is added: the file is damaged, or another one. Single-threaded. */
#ifndef SCPROF_SERVE_SUMS_ROW_COUNTERS_H
#define SCPROF_SERVE_SUMS_ROW_COUNTERS_H

#include "serve/sums/counters.h"

/* Of calls of which it is known whether they were switched: weighted sums (struct scp_off_cpu). */
struct cell_states {
	bool any;
	prof_u128 units; /* of all these calls */
	double switched, known, weighted, runnable_ns, asleep_ns;
};

struct cell {
	struct counters_row *row;
	prof_u128 calls, ticks, bytes, units, units_sq, inner_calls;
	bool has_bytes;
	struct cell_states states;
	/* As published: an estimate may go back, a counter may not. So each is the largest so far.
	 */
	long double state_seconds[COUNTERS_STATES], switched_calls;
};

struct cells {
	struct cell *cell; /* a row is in it once */
	uint32_t count, room;
	uint64_t lost[COUNTERS_LOSSES];
};

/* The cells of one file's model. skip[function of p] becomes true where it is counted
 * under LABEL_OTHER. 0, -1: out of memory. row_counters_free is due either way. */
int row_counters_take(struct cells *cells, struct counters *c, struct counters_service *s,
		      const struct profile *p, bool *skip);
void row_counters_free(struct cells *cells);

/* Add to the rows what `now` has more than `before`, with the clock and overhead of p; past: as of
 * counters_add. Estimates of `now` that are less than before become those. 0, or -1 and nothing was
 * added: a sum is less than it was. */
int row_counters_publish(struct cells *now, const struct cells *before, struct counters *c,
			 struct counters_service *s, const struct profile *p, bool past);

#endif
