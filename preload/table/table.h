// SPDX-License-Identifier: Apache-2.0
/* A thread's table in the profile: paths, entries, gaps and what hangs on them.
 * Every function is for the owning thread, with its bookkeeping marked as under
 * way (thread.open bit 0), and returns NULL or false where there is no room. */
#ifndef SCPROF_PRELOAD_TABLE_TABLE_H
#define SCPROF_PRELOAD_TABLE_TABLE_H

#include "preload/table/sums.h"
#include "preload/table/thread.h"

HIDDEN bool table_create(struct scp_thread *t);

/* A new owner: its time begins at t->last_at. */
HIDDEN void table_begin_owner(struct scp_thread *t);

/* The entry of a site's calls with that outcome, made if need be. */
HIDDEN struct scp_rt *table_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
				  bool bytes, uint64_t first_at);

/* Add a gap from t->previous to `to` (NULL: the end of the thread). */
HIDDEN void table_add_gap(struct scp_thread *t, struct scp_rt *to, uint64_t units);

/* The gap record from one entry to another (NULL marks: start, end), cached in `from`. */
HIDDEN struct scp_gap *table_gap(struct scp_thread *t, struct scp_rt *from, struct scp_rt *to);

/* Make rt->more, if it is not there. */
HIDDEN bool table_more(struct scp_thread *t, struct scp_rt *rt);

/* Make histogram block `block` of an entry. */
HIDDEN struct scp_hist *table_histogram(struct scp_thread *t, struct scp_rt *rt, uint32_t block);

/* Where an entry's calls of so many units are counted; NULL: there is no room. */
static inline uint64_t *table_count(struct scp_thread *t, struct scp_rt *rt, uint64_t units)
{
	uint32_t bucket = sums_bucket(units);
	struct scp_hist *h = rt->more ? rt->more->hist[bucket / SCP_HIST_BUCKETS] : NULL;
	if (unlikely(!h) && !(h = table_histogram(t, rt, bucket / SCP_HIST_BUCKETS)))
		return NULL;
	return &h->count[bucket % SCP_HIST_BUCKETS];
}

#endif
