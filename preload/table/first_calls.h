// SPDX-License-Identifier: Apache-2.0
/* Most entries have a few calls only: the durations of those are kept one by one (struct
 * scp_first_calls), in a ninth of the room of a histogram. For the owning thread, with its
 * bookkeeping marked. */
#ifndef SCPROF_PRELOAD_TABLE_FIRST_CALLS_H
#define SCPROF_PRELOAD_TABLE_FIRST_CALLS_H

#include "preload/table/thread.h"

/* An entry that has 1 to SCP_FIRST_CALLS calls, which is `calls`, is going to have one more, of
 * `units`. Of the call after these the histogram begins, with all that were before it. A handler
 * may leave this by longjmp and have it done again. */
HIDDEN void first_calls_add(struct scp_thread *t, struct scp_rt *rt, uint64_t calls,
			    uint64_t units);

/* The batches that are made of them, of two calls each. */
#define FIRST_CALLS_BATCHES (SCP_FIRST_CALLS / 2)
static inline uint64_t first_calls_batch(const struct scp_first_calls *f, uint32_t batch)
{
	return f->units[2 * batch] + f->units[2 * batch + 1];
}

#endif
