// SPDX-License-Identifier: GPL-3.0-or-later
/* Waiting that a signal ends: signal_wait_next takes SIGINT, SIGQUIT, SIGTERM and SIGHUP, unless
 * they are ignored, instead of their ending this process. One thread uses it. */
#ifndef SCPROF_COLLECTOR_LAUNCH_SIGNAL_WAIT_H
#define SCPROF_COLLECTOR_LAUNCH_SIGNAL_WAIT_H

#include <signal.h>

struct signal_wait {
	sigset_t set, before;
};

/* Blocks these signals: from here on they are pending until they are taken. */
void signal_wait_begin(struct signal_wait *e);

/* Waits up to so many milliseconds. The signal, or 0. */
int signal_wait_next(const struct signal_wait *e, int milliseconds);

/* Restores the signal mask. */
void signal_wait_end(const struct signal_wait *e);

/* Ends this process by that signal. Returns only where its default does not end a process. */
void signal_wait_raise(int signal_number);

#endif
