// SPDX-License-Identifier: GPL-3.0-or-later
/* What a thread is inside of. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_INSIDE_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_INSIDE_H

#include <stdbool.h>

#include "collector/attach/safe_point/frames.h"

/* The first frame, from the innermost on, that forbids a call of dlopen: a text, static. NULL:
 * none. */
const char *inside_what(const struct safe_point_stack *k);

/* The thread is blocked in a function of libc that no allocator calls. */
bool inside_wait(const struct safe_point_stack *k);

/* It began where threads begin: its stack is what the system made for it. */
bool inside_thread_stack(const struct safe_point_stack *k);

#endif
