// SPDX-License-Identifier: Apache-2.0
/* Records of a thread's table. For the owning thread alone, with its bookkeeping marked as under
 * way (thread.open bit 0). */
#ifndef SCPROF_PRELOAD_TABLE_RECORD_H
#define SCPROF_PRELOAD_TABLE_RECORD_H

#include "preload/table/thread.h"

/* A zeroed record of `bytes`, rounded up, of type SCP_REC_*, at the end of the table; NULL: there
 * is no room. It counts only once it is published, and no other may begin before. */
HIDDEN void *record_begin(struct scp_thread *t, uint32_t type, uint64_t bytes);

/* The record that was begun last is complete. */
HIDDEN void record_publish(struct scp_thread *t);

#endif
