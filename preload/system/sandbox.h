// SPDX-License-Identifier: Apache-2.0
/* Has the program installed a seccomp filter? A filter may kill for a system
 * call that the program itself never makes, so from then on we make none. */
#ifndef SCPROF_PRELOAD_SYSTEM_SANDBOX_H
#define SCPROF_PRELOAD_SYSTEM_SANDBOX_H

#include <stdint.h>

#include "preload/system/util.h"

/* Set by the interposed prctl and syscall just before the filter is installed;
 * never cleared (filters cannot be removed). Inherited by forked children. */
extern HIDDEN uint32_t sandbox_active;

#endif
