// SPDX-License-Identifier: Apache-2.0
/* A process that began dormant (SCPROF_STOPPED=1) is woken by a page that it maps, struct
 * scp_wake_page: without ptrace, so in containers and on hardened hosts, too. Forked children share
 * the page, and are dormant like their parent. An order is followed by the thread that makes the
 * next wrapped call; others go on as they were. Nothing here calls libc but for pthread_atfork. */
#ifndef SCPROF_PRELOAD_ATTACH_WAKE_PAGE_H
#define SCPROF_PRELOAD_ATTACH_WAKE_PAGE_H

#include "preload/system/util.h"

/* Of a dormant process: make the page. Where it cannot be made, nothing is ever recorded. From the
 * constructor. */
HIDDEN void wake_page_begin(void);

/* The process ends, or becomes another program: whoever is the last removes the file. Idempotent,
 * async-signal-safe. */
HIDDEN void wake_page_leave(void);

/* It does not after all: exec failed. */
HIDDEN void wake_page_return(void);

#endif
