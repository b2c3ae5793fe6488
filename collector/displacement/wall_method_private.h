// SPDX-License-Identifier: GPL-3.0-or-later
/* The state of the paper's procedure, and its parts. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_WALL_METHOD_PRIVATE_H
#define SCPROF_COLLECTOR_DISPLACEMENT_WALL_METHOD_PRIVATE_H

#include "collector/machine/cpu_times.h"
#include "collector/launch/signal_wait.h"
#include "collector/launch/launch.h"
#include "collector/machine/tasks.h"
#include "collector/machine/taskstats.h"
#include "collector/displacement/wall_method.h"
#include "collector/displacement/wall_method_fluid.h"

#define WALL_METHOD_REMEMBERED 3

struct wall_method_work {
	const struct wall_method_options *o;
	struct wall_method_result *result;
	struct wall_method_replication *now; /* the one in progress */
	struct wall_method_fluid *fluid;
	double deadline; /* of CLOCK_MONOTONIC, seconds */
	uint64_t *loops; /* L_F, a CPU; 0: without end */
	/* loops that it had done when the command ended, a CPU, in the last replications */
	uint64_t (*needed)[WALL_METHOD_REMEMBERED];
	size_t together; /* how often the two were run together to the end */
	double *tau;	 /* tau_F of the last step 1, a CPU */
	struct tasks tasks;
	struct cpu_times *before, *after;
	pid_t pid;
};

/* wall_method_errors.c: all that is needed, and what is measured once: the clock's resolution, the
 * cost of starting, of a cold loop. -1: out of memory. */
int wall_method_errors_prepare(struct wall_method_work *w);
void wall_method_errors_clean_up(struct wall_method_work *w);

/* What others take of the CPUs of the set from here on; and how much it was, seconds: by
 * the host, by other processes. */
void wall_method_errors_daemons_begin(struct wall_method_work *w);
void wall_method_errors_daemons(struct wall_method_work *w, double *stolen, double *others);

#endif
