// SPDX-License-Identifier: Apache-2.0
/* What is kept of an entry batch by batch: sums of units on both clocks (struct
 * scp_batch) and for the line of time on size (struct scp_line). Batches are rare, so
 * nothing of this is on the hot path but the comparison that leads here. */
#ifndef SCPROF_PRELOAD_TABLE_BATCH_H
#define SCPROF_PRELOAD_TABLE_BATCH_H

#include "preload/table/thread.h"

#define LINE_EARLY 3u /* batches that are kept in private memory, before a line record is made */

/* The sums for the line over the calls of one batch, or of several. */
struct line_sums {
	uint64_t bytes;
	unsigned __int128 bytes_sq, bytes_units;
};

/* An entry's calls have reached its batch_end, and its sums are being changed by the
 * owner of `t`: note the first call, or close the present batch. */
HIDDEN void batch_close(struct scp_thread *t, struct scp_rt *rt);

#endif
