// SPDX-License-Identifier: GPL-3.0-or-later
/* The paper's confirmation (section 4.3): where a command keeps its CPUs busy all the
 * time, the time that it takes is its whole CPU time, charged to it or not. So run it
 * without the fluid, and see which accounting predicts how long it takes. */
#ifndef SCPROF_DISPLACE_CONFIRM_H
#define SCPROF_DISPLACE_CONFIRM_H

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "cpu_times.h"
#include "replications.h"
#include "tasks.h"

#define DISPLACE_SATURATED 0.03 /* of the CPUs' time may be idle */

struct displace_confirm {
	cpu_set_t cpus;
	size_t runs;
	double *elapsed;   /* seconds, a run */
	double *available; /* CPU seconds in it that were neither stolen nor another task's */
	double idle;	   /* share, over all runs */
	/* of the run in progress */
	struct tasks tasks;
	struct cpu_times *before, *after;
	double began, idle_s, wall_s;
};

/* Room for so many runs. 0, -1: no memory. */
int displace_confirm_begin(struct displace_confirm *c, const cpu_set_t *cpus, size_t runs);
/* As in displace.h: before a run; launch_hold.born; launch_watch.tick and .ended. */
void displace_confirm_run(struct displace_confirm *c);
void displace_confirm_born(void *confirm, pid_t pid);
void displace_confirm_ended(void *confirm, pid_t pid);
void displace_confirm_free(struct displace_confirm *c);

#endif
