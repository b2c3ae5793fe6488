// SPDX-License-Identifier: GPL-3.0-or-later
/* The libraries that a program is started with, in the order in which symbols are
 * looked up in them, and libraries that it may open later: absolute paths, without the program and
 * the loader. exports_free_names() in any case. */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "collector/select/exports.h"
#include "profile/profile.h"

/* Asks the program's own loader (ld.so --list), which goes by LD_LIBRARY_PATH, RUNPATH and
 * its cache, and runs nothing of the program. 0, or -1 with *err. */
int library_closure_find(const char *program, struct names *out, struct profile_error *err);

/* Files whose name (or path, if `pattern` has a slash) matches the glob, in the directories
 * where the loader would look: LD_LIBRARY_PATH, those of `known`, the system's. Links to the
 * same file count once. 0, or -1 when out of memory. */
int library_closure_search(const char *pattern, const struct names *known, struct names *out);

/* Those that a process has mapped, in the order of /proc/PID/maps: what it opened since its start
 * is among them. Files of which a part may be executed, but for its program, the loader, and what
 * is scprof's. A file that was replaced since it was mapped is left out. 0, or -1 with *err. */
int library_closure_find_mapped(pid_t pid, struct names *out, struct profile_error *err);

/* The same of its lines that were read; `program` is left out. The process may have another root
 * directory: /proc/PID/root/.... 0, or -1: out of memory. */
int library_closure_read_maps(pid_t pid, FILE *maps, const char *program, struct names *out);

/* Those of a program of another processor, whose loader cannot be asked here. Breadth first, as the
 * loader: by the DT_NEEDED entries, in the RPATH and RUNPATH of the file that has the entry (below
 * `root`, then as they are), then in the usual folders below `root`. 0, or -1 with *err: also where
 * one is not found. exports_free_names either way. */
int library_closure_find_needed(const char *program, const char *root, struct names *out,
				struct profile_error *err);
