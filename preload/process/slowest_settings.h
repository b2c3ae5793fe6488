// SPDX-License-Identifier: Apache-2.0
/* SCPROF_SLOWEST=K, SCPROF_SLOWER_THAN=DURATION, SCPROF_SLOWEST_OF=PATTERNS; any of them
 * turns it on. `scprof run` checks them before the program starts. */
#ifndef SCPROF_PRELOAD_PROCESS_SLOWEST_SETTINGS_H
#define SCPROF_PRELOAD_PROCESS_SLOWEST_SETTINGS_H

#include "preload/process/settings.h"

#define SLOWEST_DEFAULT 20u

/* NULL or "": not set. Whatever cannot be read: nothing is kept, and out->unread. */
HIDDEN void slowest_settings_read(const char *count, const char *least, const char *patterns,
				  struct slowest_settings *out);

/* Do the patterns, [!][LIBRARY:]NAME with * and ?, separated by commas, choose this function?
 * The last one that matches decides. Those of SCP_GROUP_WAIT, accept and accept4 exist to
 * wait: they are chosen only by a pattern that matches. All others are at first, unless
 * the first pattern chooses. */
HIDDEN bool slowest_settings_want(const struct slowest_settings *s, const char *name,
				  const char *library, uint32_t group);

#endif
