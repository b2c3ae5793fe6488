// SPDX-License-Identifier: GPL-3.0-or-later
/* The libraries that a process has mapped: what it opened since its start is among them. */
#ifndef SCPROF_COLLECTOR_SELECT_LIBRARY_MAPPED_H
#define SCPROF_COLLECTOR_SELECT_LIBRARY_MAPPED_H

#include <stdio.h>
#include <sys/types.h>

#include "collector/select/library_closure.h"

/* Of /proc/PID/maps, in that order: files of which a part may be executed, but for its program, the
 * loader, and what is scprof's. A file that was replaced since it was mapped is left out. 0, or -1
 * with *err. */
int library_mapped_find(pid_t pid, struct library_closure *out, struct profile_error *err);

/* The same of lines that were read; `program` is left out. 0, or -1: out of memory. */
int library_mapped_read(FILE *maps, const char *program, struct library_closure *out);

#endif
