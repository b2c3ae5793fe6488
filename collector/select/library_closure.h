// SPDX-License-Identifier: GPL-3.0-or-later
/* The libraries that a program is started with, in the order in which symbols are
 * looked up in them, and libraries that it may open later. */
#ifndef SCPROF_COLLECTOR_SELECT_LIBRARY_CLOSURE_H
#define SCPROF_COLLECTOR_SELECT_LIBRARY_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

struct library_closure {
	char **path; /* absolute; the program itself is not among them, nor the loader */
	size_t paths;
};

/* Asks the program's own loader (ld.so --list), which goes by LD_LIBRARY_PATH, RUNPATH and
 * its cache, and runs nothing of the program. 0, or -1 with *err. */
int library_closure_find(const char *program, struct library_closure *out,
			 struct profile_error *err);

/* Files whose name (or path, if `pattern` has a slash) matches the glob, in the directories
 * where the loader would look: LD_LIBRARY_PATH, those of `known`, the system's. Links to the
 * same file count once. 0, or -1 when out of memory. */
int library_closure_search(const char *pattern, const struct library_closure *known,
			   struct library_closure *out);

/* Add a copy of the path. 0, or -1 when out of memory. */
int library_closure_add(struct library_closure *c, const char *path);

/* Is it the dynamic linker, by its name? */
bool library_closure_is_loader(const char *path);

void library_closure_free(struct library_closure *c);

#endif
