// SPDX-License-Identifier: Apache-2.0
/* Beginning to record in a process. Its end is marked through process.h. */
#ifndef SCPROF_PRELOAD_START_LIFECYCLE_H
#define SCPROF_PRELOAD_START_LIFECYCLE_H

#include "preload/util.h"

/* Begin to record, if the settings say so. Called from the constructor, from the
 * first wrapped call if that comes earlier, and in a forked child. Idempotent;
 * a thread that comes while another is at it goes unrecorded. */
HIDDEN void lifecycle_start(void);

#endif
