// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof itself, executed anew for one of several recordings: it takes signals, makes directories
 * and gathers as ever. One at a time; from one thread. */
#ifndef SCPROF_CLI_RUN_CHILD_RUN_H
#define SCPROF_CLI_RUN_CHILD_RUN_H

#include <stdbool.h>

/* From here on SIGINT, SIGTERM and SIGHUP are only noted, and given on to the recording. */
void child_run_take_signals(void);
/* True if one of the signals came: stop. */
bool child_run_stopped(void);

/* argv[0] is a name only. `prepare` is called in the child, before scprof is executed there, and is
 * NULL or returns 0; else the child fails with 125. The exit status as of `scprof run`; -1: no
 * process could be started (errno). */
int child_run(char **argv, int (*prepare)(void *context), void *context);

#endif
