// SPDX-License-Identifier: Apache-2.0
/* Does a frame belong to one of the functions of --below? Where those lie is known before anything
 * is recorded: `scprof run` writes it to a file, and without one the symbol tables of the objects
 * that the program started with are searched here. */
#ifndef SCPROF_PRELOAD_FILTER_BELOW_H
#define SCPROF_PRELOAD_FILTER_BELOW_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_control.h"
#include "preload/system/util.h"

/* Map the file, or look `patterns` up (NULL: do not, the loader may be asked for nothing); what
 * they mean of source files is below_names_source's. False: nothing is known, and so nothing will
 * be below anything. Opens and closes files; start-up only. */
HIDDEN bool below_open(const char *file, const char *patterns);

/* What was opened last: struct profile_file has that of its session, and nobody looks there when
 * that is over. NULL: nothing. */
HIDDEN const struct scp_below_file *below_latest(void);
HIDDEN void below_close(const struct scp_below_file *f);

/* A frame as modules_frame gives it. Slow path only. */
HIDDEN bool below_contains(const struct scp_below_file *f, uint64_t frame);

/* Modules have other numbers from now on. */
HIDDEN void below_forget_modules(void);

/* Make the same of the objects that are loaded now: `patterns` are names as symbol tables have
 * them, globs, or LIBRARY:NAME, separated by commas. NULL: none matches. */
HIDDEN const struct scp_below_file *below_search(const char *patterns);

/* Has the program been started with an interpreter of Python's? */
HIDDEN bool below_search_is_python(void);

/* The functions of --below that no symbol table has: those of source files, as Python's.
 *
 * A pattern matches the file's path and the function's qualified name, joined as modules are
 * ("/srv/app/handlers.py", "Service.reply": "srv.app.handlers.Service.reply"), from any dot on:
 * reply, Service.reply, handlers.Service.reply. FILE:NAME matches the file's name, with or without
 * .py (its path where FILE has a '/'), and NAME any end of the function's. The last pattern that
 * matches decides. */

/* From now on these count: separated by commas or ends of lines; copied. NULL: none. Start-up
 * only. */
HIDDEN void below_names_take(const char *patterns);

/* Do the patterns mean this function? No lock, no memory, 1 kB of stack; when a function is first
 * met. */
HIDDEN bool below_names_source(const char *file, const char *name);

/* Can one of these patterns mean nothing but a function of a source file: file.py:name, or a.b? */
HIDDEN bool below_names_only(const char *patterns);

#endif
