// SPDX-License-Identifier: Apache-2.0
/* SCPROF_SYMBOLS under a bare LD_PRELOAD. The stubs of selected functions must be there before the
 * loader binds the first of them, so the program is executed once more, with a stub object in
 * LD_PRELOAD before us.
 *
 * When: while the loader relocates this library (from the resolver of an IFUNC), before any
 * constructor has run, so that nothing of the program happens twice. How: a child (without a
 * signal at its end) has the tool write the object; only if that succeeded this process
 * executes the same file with the same arguments, and in its new image the object is unlinked
 * and LD_PRELOAD is made what it was. If anything prevents that, the program continues as it is. */
#ifndef SCPROF_PRELOAD_START_REEXEC_H
#define SCPROF_PRELOAD_START_REEXEC_H

#include <link.h>
#include <stdbool.h>

#include "preload/system/util.h"

#define REEXEC_PROBLEM_BYTES 512u

/* Why SCPROF_SYMBOLS has no stubs; "": not known. */
extern HIDDEN char reexec_problem[REEXEC_PROBLEM_BYTES];

/* The tool was asked, and there is nothing of them in this program, which is no mistake. */
extern HIDDEN bool reexec_needless;

/* How this process was started: what the kernel left on the initial stack, and how to
 * start the same program once more so that it cannot tell. All by raw system calls: it is
 * used while the loader still relocates, before any code of libc may be called. */

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

/* Has the tool write the stub object for this program, in a child process that the program
 * does not notice: no signal at its end, none of its descriptors left open. */

/* Tells the tool what LD_PRELOAD was, and us that a process is the tool. */
#define REEXEC_TOOL_VARIABLE "SCPROF_PRELOAD"

enum reexec_answer {
	REEXEC_STUBS,	/* written */
	REEXEC_NOTHING, /* nothing to do */
	REEXEC_FAILED
};

#endif
