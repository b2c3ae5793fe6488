// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof top --attach`: scprof attach in a process of its own, and what it says. */
#ifndef SCPROF_CLI_TOP_ATTACH_H
#define SCPROF_CLI_TOP_ATTACH_H

#include <limits.h>
#include <sys/types.h>

struct top_attach {
	pid_t pid;		  /* of scprof attach; 0: none */
	int end;		  /* readable when it has ended */
	int said;		  /* what it wrote to standard error meanwhile */
	char directory[PATH_MAX]; /* of the profiles */
};

/* Until recording goes on. `options`: of scprof attach, ended by NULL. 0; or what the exit status
 * is to be: it has said why. */
int top_attach_begin(struct top_attach *t, const char *pid, char **options);

/* Ends the recording; prints what it said. Its exit status. */
int top_attach_end(struct top_attach *t);

#endif
