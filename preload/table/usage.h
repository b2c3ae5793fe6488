// SPDX-License-Identifier: Apache-2.0
/* What the kernel charged to this process, and how often it read and wrote: totals of the whole
 * process, beside which a reader sees how much of it the recorded calls are. A reading takes a few
 * system calls, and a descriptor for a moment: signals are to be held, by the one thread at a time
 * that may change the header. Never in a sandbox, or in a vfork child. */
#ifndef SCPROF_PRELOAD_TABLE_USAGE_H
#define SCPROF_PRELOAD_TABLE_USAGE_H

#include "include/scprof_format.h"
#include "preload/system/util.h"

/* The process begins to record: nothing is used yet. */
HIDDEN void usage_begin(struct scp_header *h);
/* What was used since the latest reading counts. */
HIDDEN void usage_count(struct scp_header *h);
/* It does not: recording was stopped, or it was used by this library. */
HIDDEN void usage_leave_out(struct scp_header *h);

/* Sets stolen_ns and busy_ns from the line "cpu " of /proc/stat; false: there is none. */
HIDDEN bool usage_find_stolen(const char *text, long bytes, struct scp_steal *s);

/* The number behind `name` ("syscr: ") at the start of a line; false: there is none. */
HIDDEN bool usage_find(const char *text, long bytes, const char *name, uint64_t *value);

#endif
