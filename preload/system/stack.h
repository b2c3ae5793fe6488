// SPDX-License-Identifier: Apache-2.0
/* How much stack is left, where that can be little: on an alternate signal
 * stack. One system call: slow paths only. */
#ifndef SCPROF_PRELOAD_SYSTEM_STACK_H
#define SCPROF_PRELOAD_SYSTEM_STACK_H

#include <stddef.h>

#include "preload/system/util.h"

#define STACK_TO_UNWIND 3072u /* below this the caller alone is recorded */
#define STACK_TO_RECORD 512u  /* below this nothing new is begun */
#define STACK_TO_GROW	1024u /* below this the file does not grow */

/* Bytes left on the alternate signal stack that we are on; SIZE_MAX on any other
 * stack, and in a sandbox, where the kernel must not be asked. */
HIDDEN size_t stack_room(void);

#endif
