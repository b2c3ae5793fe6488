// SPDX-License-Identifier: GPL-3.0-or-later
/* What another command does with a run, or with processes that it attaches to, instead of a
 * profile and its report. */
#ifndef SCPROF_CLI_RUN_RUN_OBSERVER_H
#define SCPROF_CLI_RUN_RUN_OBSERVER_H

#include "collector/launch/environment.h"
#include "collector/launch/gather.h"
#include "collector/launch/run_directory.h"
#include "cli/run/run_options.h"

struct run_observer {
	void *context;
	/* The directory exists, nothing has been started: makes its files there, and adds to the
	 * environment or order. 0, or -1 having said why not. */
	int (*prepare)(void *context, const struct run_directory *d, struct environment *e);
	/* The processes run; `profiles` is the directory of their files. */
	void (*started)(void *context, const char *profiles);
	/* About every 20 ms until they end. `pid`: the command, or 0. `stopped`: the user wants an
	 * end. True: leave the processes that were attached to. */
	bool (*look)(void *context, pid_t pid, bool stopped);
	/* They have ended, or were left. Called also where nothing was started. */
	void (*ended)(void *context);
	/* Instead of saving: what was recorded is still in d->profiles, and is to be discarded. 0,
	 * or -1 having said what failed. */
	int (*finish)(void *context, struct run_directory *d, const struct gathered *g);
	/* The exit status instead of the command's. NULL: as it is. */
	int (*status)(void *context, int status);
};

#define RUN_OBSERVER_LOOK_MS 20

/* Runs o->command as `scprof run` does. Its exit status. */
int cmd_run_for(const struct run_options *o, const struct run_observer *observer);

#endif
