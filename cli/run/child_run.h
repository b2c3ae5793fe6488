// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof itself, executed anew: for one of several recordings, or as the child of a container's
 * first process. It takes signals, makes directories and gathers as ever. One at a time; from one
 * thread. */
#pragma once

#include <stdbool.h>

/* From here on SIGINT, SIGQUIT, SIGTERM and SIGHUP are only noted, and given on to the child,
 * as are SIGUSR1 and SIGUSR2. */
void child_run_take_signals(void);
/* True if one of the first four came: stop. */
bool child_run_stopped(void);

/* argv[0] is a name only. `prepare` is called in the child, before scprof is executed there, and is
 * NULL or returns 0; else the child fails with 125. The exit status as of `scprof run`; -1: no
 * process could be started (errno). */
int child_run(char **argv, int (*prepare)(void *context), void *context);
