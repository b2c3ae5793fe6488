// SPDX-License-Identifier: Apache-2.0
/* The first calls of a forked child. Most children soon execute another program, and a profile
 * would cost them more than all else that they do: until a child proves to live on it has none. It
 * does by its first call that is to be recorded and is none of those by which children prepare for
 * exec (descriptors are closed, opened, led elsewhere; memory; a word to the parent when exec
 * failed), or by 64 of those. They are counted in the parent's profile, as skipped. */
#ifndef SCPROF_PRELOAD_CALL_EARLY_H
#define SCPROF_PRELOAD_CALL_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/system/util.h"

/* In fork, or after an exec that failed: children write then, too. */
extern HIDDEN __thread bool early_writes;

/* A call that is to be recorded, in a process that has not begun: is it passed through, and
 * counted? Keeps errno. */
HIDDEN bool early_pass(uint32_t function);

/* A call that is not to be recorded, likewise. True: it is to begin nothing. */
HIDDEN bool early_look(void);

#endif
