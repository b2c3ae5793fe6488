// SPDX-License-Identifier: Apache-2.0
/* The libraries for which there are ready-made groups of functions: where a process has loaded one
 * it is among the profile's modules, whether or not it is on a call path. */
#ifndef SCPROF_PRELOAD_PROCESS_LIBRARIES_H
#define SCPROF_PRELOAD_PROCESS_LIBRARIES_H

#include "preload/system/util.h"

/* Note those that are loaded now. It reads /proc/self/maps: when a process begins, and when it
 * ends. */
HIDDEN void libraries_note(void);

#endif
