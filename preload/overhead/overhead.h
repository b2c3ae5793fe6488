// SPDX-License-Identifier: Apache-2.0
/* What one wrapped call adds, measured in the target itself (struct scp_overhead):
 * an empty function is called through the very code that the wrappers use, by a
 * thread state of our own in private memory. Nothing of it shows in the profile.
 *
 * Each measurement takes 0.1 to 0.6 ms (a few ways, each 40 us by each clock), in which the calling
 * thread's signals wait; one at a time in a process. Where no system call may be made
 * (sys_sandboxed), or where hardly any stack is left, there is none: a handler's calls must not be
 * taken for ours. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_H

#include "include/scprof_format.h"
#include "preload/system/util.h"

/* When recording begins, before the calling thread's time does. Not where an earlier session, by
 * the same clock, has done so: that is in the header already. */
HIDDEN void overhead_measure_first(void);

/* When the process ends by itself. Not after a short life, of which it would be a
 * notable part. */
HIDDEN void overhead_measure_last(void);

#endif
