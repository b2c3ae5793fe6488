// SPDX-License-Identifier: GPL-3.0-or-later
/* The libraries that a program of another processor is started with, whose loader cannot be
 * asked here (library_closure.h). */
#ifndef SCPROF_COLLECTOR_SELECT_LIBRARY_NEEDED_H
#define SCPROF_COLLECTOR_SELECT_LIBRARY_NEEDED_H

#include "collector/select/library_closure.h"

/* Breadth first, as the loader: by the DT_NEEDED entries, in the RPATH and RUNPATH of the file
 * that has the entry (below `root`, then as they are), then in the usual folders below `root`. 0,
 * or -1 with *err: also where one is not found. library_closure_free either way. */
int library_needed_find(const char *program, const char *root, struct library_closure *out,
			struct profile_error *err);

#endif
