// SPDX-License-Identifier: GPL-3.0-or-later
/* A process beside `scprof attach` that does nothing until that is killed: then it becomes `scprof
 * detach` of the processes that are recorded. */
#ifndef SCPROF_CLI_ATTACH_ATTACH_GUARD_H
#define SCPROF_CLI_ATTACH_ATTACH_GUARD_H

#include <sys/types.h>

struct attach_guard {
	int fd; /* -1: there is none, and a killed scprof has to be put right by hand */
	pid_t pid;
};

/* Before any thread. `page`: the file by which processes are recorded that have no number here;
 * NULL: none. */
void attach_guard_begin(struct attach_guard *g, const char *page);

/* Call this when that process is about to be recorded. */
void attach_guard_note(struct attach_guard *g, pid_t pid);

/* All are as they were, or it was said why not. */
void attach_guard_end(struct attach_guard *g);

#endif
