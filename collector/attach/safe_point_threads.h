// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads of a process in the order in which they are worth borrowing. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_THREADS_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_THREADS_H

#include <stddef.h>
#include <sys/types.h>

#include "collector/attach/safe_point_maps.h"

#define SAFE_POINT_ROOM 16384u /* below the stack pointer: for the frame that saves a thread */

size_t safe_point_threads_list(pid_t pid, const struct safe_point_maps *maps, pid_t *tids,
			       size_t room);

#endif
