// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --runs N` and `scprof attach --windows N`: several recordings, one after the other,
 * each with a profile of its own, and one report of them. */
#pragma once

#include <stdbool.h>

#include "cli/run/run_options.h"

/* May o->runs be more than 1 beside the other options? 0, or -1 having said why. */
int run_again_check(const struct run_options *o);

/* After the options were parsed: optind is where the command, or the processes, begin. The exit
 * status: the first that is not 0 of the recordings'. */
int run_again(const char *command, int argc, char **argv, const struct run_options *o);

/* scprof itself, executed anew for one of several recordings: it takes signals, makes directories
 * and gathers as ever. One at a time; from one thread. */

/* From here on SIGINT, SIGQUIT, SIGTERM and SIGHUP are only noted, and given on to the recording,
 * as are SIGUSR1 and SIGUSR2. */
void child_run_take_signals(void);
/* True if one of the first four came: stop. */
bool child_run_stopped(void);

/* argv[0] is a name only. `prepare` is called in the child, before scprof is executed there, and is
 * NULL or returns 0; else the child fails with 125. The exit status as of `scprof run`; -1: no
 * process could be started (errno). */
int child_run(char **argv, int (*prepare)(void *context), void *context);
