// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes that belong to one that is attached to. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RELATIVES_MOST 1024

/* Its descendants that execute the same file, such as the workers of a server. Their number, at
 * most `room`; fewer where /proc hides some. */
size_t relatives_children(pid_t pid, pid_t *pids, size_t room);

/* Those that map the file of that path: each recorded process maps its run's control page, and so
 * do the children that it forked. */
size_t relatives_mapping(const char *path, pid_t *pids, size_t room);

/* Those whose command name, or whose executable's, is `name`, but for this one: the lowest numbers
 * first. Threads of the kernel, and what has ended, are none. */
size_t relatives_named(const char *name, pid_t *pids, size_t room);

/* Do both see the same files: one root directory in one mount namespace? */
bool relatives_same_root(pid_t a, pid_t b);

/* The file that the process maps whose path has `part` in it and ends in `end`: "/scprof." and
 * "/control". 0, or -1: there is none, or its maps cannot be read. */
int relatives_mapped(pid_t pid, const char *part, const char *end, char path[PATH_MAX]);
