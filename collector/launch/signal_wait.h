// SPDX-License-Identifier: GPL-3.0-or-later
/* Waiting that a signal ends: Ctrl-C and its like, unless they are ignored, are taken by
 * signal_wait_next instead of ending this process. One thread uses it. */
#ifndef SCPROF_COLLECTOR_LAUNCH_SIGNAL_WAIT_H
#define SCPROF_COLLECTOR_LAUNCH_SIGNAL_WAIT_H

#include <signal.h>

struct signal_wait {
	sigset_t set, before;
};

/* From here on the signals wait. */
void signal_wait_begin(struct signal_wait *e);

/* Up to so many milliseconds. The signal, or 0. */
int signal_wait_next(const struct signal_wait *e, int milliseconds);

/* The signal mask is again what it was. */
void signal_wait_end(const struct signal_wait *e);

/* End as one who does not hold signals would. Returns only where the signal ends nobody. */
void signal_wait_raise(int signal_number);

#endif
