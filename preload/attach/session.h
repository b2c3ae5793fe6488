// SPDX-License-Identifier: Apache-2.0
/* Recording that begins and ends in a process that runs: by an order (include/scprof_attach.h).
 *
 * A session is to the process what a fork is to a child: a new profile file, new state for each
 * thread. What is left of an earlier one may still be in use: a thread may come back from a call
 * that began hours ago. So each thread frees its own old state at its first call in the next
 * session, and what was mapped stays mapped for a while. */
#pragma once

#include "include/scprof_attach.h"
#include "preload/system/util.h"

/* The library was loaded: at the program's start, or later. Once. */
HIDDEN void session_note_start(void);

/* Record as the text asks for. `at_rest`: no thread-held lock of libc can be in the way, so that
 * the loader may be called (an injected call); else no function of libc is. One at a time: others
 * get SCP_ATTACH_NOT_NOW. */
HIDDEN enum scp_attach_problem session_begin(const char *text, uint32_t bytes, bool at_rest);

/* Stop, complete the profile, and be dormant. */
HIDDEN enum scp_attach_problem session_end(void);

/* Of a process that began dormant: make the page that wakes it. Where it cannot be made, nothing is
 * ever recorded. From the constructor. */
HIDDEN void wake_page_begin(void);

/* The process ends, or becomes another program: whoever is the last removes the file. Idempotent,
 * async-signal-safe. */
HIDDEN void wake_page_leave(void);

/* It does not after all: exec failed. */
HIDDEN void wake_page_return(void);
