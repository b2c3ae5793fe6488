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
 * they mean of source files is below_names.h's. False: nothing is known, and so nothing will be
 * below anything. Opens and closes files; start-up only. */
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

#endif
