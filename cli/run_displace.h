// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --displace`: the account of all time of the CPUs beside the profile. */
#ifndef SCPROF_RUN_DISPLACE_H
#define SCPROF_RUN_DISPLACE_H

#include <sys/resource.h>

#include "displace.h"
#include "launch.h"

struct run_displace {
	struct displace *d; /* NULL: not wished for, or the run is over */
	cpu_set_t cpus;
	struct rusage usage;
	bool ended; /* a run began and ended */
};

/* Starts the fluid and lets it rest. 0, or an exit status, having said why. */
int run_displace_open(struct run_displace *r);

/* For launch_start_held and launch_wait_watched; NULL or plain waiting without a fluid. */
struct launch_hold run_displace_hold(struct run_displace *r);
int run_displace_wait(struct run_displace *r, struct launch *l);

/* The rest after the run, the account on standard error, the end of the fluid.
 * `interrupted`: no rest, nobody wants to wait. Nothing without a fluid. */
void run_displace_finish(struct run_displace *r, char **command, bool interrupted);

/* Without a run: the command could not be started. */
void run_displace_abandon(struct run_displace *r);

#endif
