// SPDX-License-Identifier: Apache-2.0
/* Calls that were switched, in the profile: struct scp_states and what belongs to it. Such calls
 * are few, so all of it is off the hot path. For the owning thread, with its bookkeeping marked. */
#ifndef SCPROF_PRELOAD_TABLE_STATES_H
#define SCPROF_PRELOAD_TABLE_STATES_H

#include "preload/table/thread.h"

/* Fewer batches say nothing about dependence (mean_interval.c), and take no record. */
#define STATES_EARLY_SLOTS 8u

/* Of an entry; in the table's index. The records are in the file, so what an address or a count
 * depends on is kept here. */
struct entry_states {
	struct scp_states *record;
	struct scp_state_batches *batches; /* NULL: not begun */
	struct scp_hist *hist[SCP_STATE_HISTS][SCP_HIST_BLOCKS];
	struct state_sums {
		uint64_t calls, units, known, weighted, runnable_ns, asleep_ns;
	} batched; /* of all slots */
	struct state_sums early[STATES_EARLY_SLOTS];
	bool lost; /* no room for batches */
};

/* The table's record, where states are recorded at all: once a table. */
HIDDEN void states_begin_table(struct scp_thread *t);

/* What the thread's switches added up to so far. */
HIDDEN void states_refresh_table(struct scp_thread *t);

/* A gap of so many units was switched. */
HIDDEN void states_add_gap(struct scp_thread *t, uint64_t units, const struct switch_sums *off);

/* So was a top-level call: to the table's sums. */
HIDDEN void states_add_top(struct scp_thread *t, const struct switch_sums *off);

/* A call was switched; or without a detector it was asked, and off->mark.count says whether it was.
 * The entry's sums are being changed, and have the call already. */
HIDDEN void states_add(struct scp_thread *t, struct scp_rt *rt, uint64_t units,
		       const struct switch_sums *off);

/* batch.c: batch `slot` closes; pairs of batches become one. */
HIDDEN void states_close_batch(struct scp_thread *t, struct scp_rt *rt, uint32_t slot);
HIDDEN void states_merge_pairs(struct scp_rt *rt);

#endif
