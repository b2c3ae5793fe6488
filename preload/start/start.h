// SPDX-License-Identifier: Apache-2.0
/* How this process was started: what the kernel left on the initial stack, and how to
 * start the same program once more so that it cannot tell. All by raw system calls: it is
 * used while the loader still relocates, before any code of libc may be called. */
#ifndef SCPROF_PRELOAD_START_START_H
#define SCPROF_PRELOAD_START_START_H

#include <link.h>
#include <stdbool.h>

#include "preload/system/util.h"

#define START_PATH_MAX 4096u

struct start {
	long argc;
	char **argv, **envp;
	long variables;	  /* in envp */
	const char *file; /* AT_EXECFN: what exec was called with */
	bool secure;	  /* AT_SECURE */
	const struct link_map
		*objects; /* that the program began with, and opened without dlmopen */
};

/* Only while the program has not begun: afterwards it may have changed all of it. False: it does
 * not run on the stack that the kernel made for it, or /proc is not there. */
HIDDEN bool start_read(struct start *s);

/* The value, or NULL. */
HIDDEN char *start_variable(const struct start *s, const char *name);

/* The number after `field` ("Threads:") in /proc/self/status; -1: cannot be read. */
HIDDEN long start_status(const char *field);

/* Path of the file that `address` is mapped from. */
HIDDEN bool start_mapped_file(const void *address, char *path, size_t room);

/* Path of the program. */
HIDDEN bool start_program(char *path, size_t room);

/* The arguments that exec of s->file needs to arrive at this very state, or NULL: there are
 * none. For a script the kernel puts its interpreter before them again. */
HIDDEN char **start_arguments(const struct start *s);

#endif
