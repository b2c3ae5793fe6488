// SPDX-License-Identifier: Apache-2.0
/* Which definition of a function is called: the loader takes the first one, of the program, then
 * of what is preloaded, in order. */
#ifndef SCPROF_PRELOAD_FUNCTION_PRECEDENCE_H
#define SCPROF_PRELOAD_FUNCTION_PRECEDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/system/util.h"

/* Which object stands before us and defines functions of `groups` or selected ones, too, and which
 * functions, in words: "libx.so (malloc, free)"; or "". Takes the loader's lock: start-up only. */
HIDDEN void precedence_read(uint32_t groups, char *text, size_t room);

#endif
