// SPDX-License-Identifier: Apache-2.0
/* The functions of --below that no symbol table has: those of source files, as Python's.
 *
 * A pattern matches the file's path and the function's qualified name, joined as modules are
 * ("/srv/app/handlers.py", "Service.reply": "srv.app.handlers.Service.reply"), from any dot on:
 * reply, Service.reply, handlers.Service.reply. FILE:NAME matches the file's name, with or without
 * .py (its path where FILE has a '/'), and NAME any end of the function's. The last pattern that
 * matches decides. */
#ifndef SCPROF_PRELOAD_FILTER_BELOW_NAMES_H
#define SCPROF_PRELOAD_FILTER_BELOW_NAMES_H

#include <stdbool.h>

#include "preload/system/util.h"

/* From now on these count: separated by commas or ends of lines; copied. NULL: none. Start-up
 * only. */
HIDDEN void below_names_take(const char *patterns);

/* Do the patterns mean this function? No lock, no memory, 1 kB of stack; when a function is first
 * met. */
HIDDEN bool below_names_source(const char *file, const char *name);

/* Can one of these patterns mean nothing but a function of a source file: file.py:name, or a.b? */
HIDDEN bool below_names_only(const char *patterns);

#endif
