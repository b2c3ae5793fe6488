// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes of a run that live but have no file of their own yet: a child just
 * forked, a program just replaced by exec. Without them a run would sometimes end between two
 * programs of a shell script.
 */
#ifndef SCPROF_COLLECTOR_LAUNCH_STRAGGLERS_H
#define SCPROF_COLLECTOR_LAUNCH_STRAGGLERS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/live/run_files.h"
#include "include/scprof_format.h"

/* They are known by an environment that names `directory`, or as a pid that has
 * left one program. May stay true for ever (a static daemon), so limit the wait. */
bool stragglers_exist(const char *directory, const struct run_file *files, size_t count);

/* Forked children that have made no call that is recorded yet, and may live for long: they have the
 * profile of a parent mapped. Returns how many, at most `room`, as if they had files. */
size_t stragglers_forked(const char *directory, const struct run_file *files, size_t count,
			 struct run_file *forked, size_t room);

#endif
