// SPDX-License-Identifier: Apache-2.0
/* An entry's calls by octaves of their duration, batch by batch (struct scp_tail): how long calls
 * follow each other. All of it happens where a batch closes. */
#ifndef SCPROF_PRELOAD_TABLE_TAIL_H
#define SCPROF_PRELOAD_TABLE_TAIL_H

#include "preload/table/thread.h"

/* The record is large, so it begins with batches of so many calls: after 512. */
#define TAIL_BATCH_CALLS 16u

/* Batch `slot` of an entry that has a record has closed; its last call is in the histogram. */
HIDDEN void tail_close(struct scp_rt *rt, uint32_t slot);

/* The entry's batches have been merged in pairs. */
HIDDEN void tail_double(struct scp_thread *t, struct scp_rt *rt);

#endif
