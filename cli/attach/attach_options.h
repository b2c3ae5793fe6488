// SPDX-License-Identifier: GPL-3.0-or-later
/* Options of `scprof attach`: those of `scprof run` that select what to record. */
#pragma once

#include <sys/types.h>

#include "cli/run/run_options.h"

#define ATTACH_PIDS_MOST 1024

struct attach_options {
	struct run_options run; /* `command` is the operands */
	pid_t pid[ATTACH_PIDS_MOST];
	size_t pids, named; /* the last ones are of --name: what cannot be recorded is left out */
	const char *page;   /* the file of a wake page instead; NULL: none */
};

/* Is it the name of such a file? */
bool attach_options_is_page(const char *text);

/* OPTIONS_GO, or the exit status. */
int attach_options_parse(int argc, char **argv, struct attach_options *o);

/* Runs `scprof attach` with these options. Returns its exit status. */
struct run_observer;
int cmd_attach_for(const struct attach_options *o, const struct run_observer *observer);

/* A process's number; 0: the text is none, which has been said as `command`'s. */
pid_t attach_options_pid(const char *command, const char *text);

/* Take the rights of "=UID:GID". A process that was root's is not dumpable afterwards: that user
 * cannot look into it. 0, or -1 having said why. */
int attach_options_become(const char *who);
