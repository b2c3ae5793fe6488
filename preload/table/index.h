// SPDX-License-Identifier: Apache-2.0
/* What the indexes of a table share: hash tables in the thread's private memory. */
#ifndef SCPROF_PRELOAD_TABLE_INDEX_H
#define SCPROF_PRELOAD_TABLE_INDEX_H

#include "preload/system/sys.h"
#include "preload/table/thread.h"

#define BUCKETS_FIRST 256u

/* Doubling an index is long: handlers that leave by longjmp at short intervals would
 * have it begin again each time, in ever more memory. */
static inline bool index_grow(struct scp_thread *t, bool (*grow)(struct scp_thread *))
{
	uint64_t signals;
	if (sys_sandboxed)
		return grow(t);
	sys_hold_signals(&signals);
	bool grown = grow(t);
	sys_release_signals(&signals);
	return grown;
}

#endif
