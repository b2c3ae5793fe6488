// SPDX-License-Identifier: GPL-3.0-or-later
/* Combines several runs of one command for the report. Seconds per run. */
#pragma once

#include "collector/displacement/displacement.h"
#include "stats/mean/replications.h"

/* A mean with its limits. Unknown limits are infinite, and the mean is NAN. */
struct displacement_interval {
	double mean, low, high;
};

struct displacement_summary {
	const struct displacement_run *run;
	size_t runs, disturbed; /* runs of which nothing could be said: not in the means below */
	double confidence;
	struct displacement_value switching; /* cost of a switch, in the last run */
	struct displacement_interval displacement, uncharged;
	double share, share_low, share_high; /* uncharged / rusage */
	/* displacement_run's: `hidden` is in the upper limits above, and `bound` is of any run */
	double hidden;
	bool bound;
	double elapsed, program, softirqd;
	struct displacement_accounting accounting; /* means; NAN where a run lacked it; but the
						    * task-clock is the first run's */
	struct displacement_cpu *cpu, all;	   /* means */
	size_t cpus;
	struct displacement_tasks others; /* means, longest first; `tasks` of all runs */
	size_t windows, kept;
	/* of any run; "disturbed" and "short" only where all are, or where the interval of what
	 * is uncharged lies below 0: interrupts take no negative time, so the means are unknown
	 * then */
	unsigned warnings;
	enum displacement_verdict {
		DISPLACEMENT_NOTHING_SAID, /* no interval */
		DISPLACEMENT_ALL_CHARGED,  /* the interval of what is uncharged includes 0 */
		DISPLACEMENT_UNCHARGED	   /* it lies above */
	} verdict;
};

/* `run` must stay. 0; -1: out of memory. runs > 0. */
int displacement_summary_make(struct displacement_summary *s, const struct displacement_run *run,
			      size_t runs, double confidence);
/* Is the value of `uncharged` possible? Its upper limit must not be below 0. */
bool displacement_summary_is_possible(struct displacement_value uncharged, double confidence);
/* The limits of v at `confidence`; the time that may be hidden is added to the upper one. */
struct displacement_interval displacement_summary_mean(struct displacement_value v,
						       double confidence, double hidden);
void displacement_summary_free(struct displacement_summary *s);

/* The paper's confirmation (section 4.3): where a command keeps its CPUs busy all the time, the
 * time that it takes is its whole CPU time, charged to it or not. So it is run without the fluid,
 * to see which accounting predicts that time.
 *
 * On a machine with other tasks and stolen time, that time is what the command was charged plus
 * what no task was: interrupts strike a busy program itself and are charged to it then. It holds
 * where the CPUs were (nearly) never idle and (nearly) always the command's: where other tasks run,
 * interrupts strike those as well. No share of other tasks has to be known by CPU, which the kernel
 * does not tell.
 *
 * The same runs tell what the fluid does to the command's own CPU time. */

#define DISPLACEMENT_SATURATED 0.03 /* of the CPUs' time may be idle */
#define DISPLACEMENT_HAD       0.85 /* of it must be the command's */

struct displacement_confirm {
	cpu_set_t cpus;
	size_t runs;
	double *elapsed;  /* seconds, a run; allocated, with the two behind it */
	double *taken;	  /* CPU seconds that it was charged, and idle ones */
	double *rusage;	  /* CPU seconds that it was charged */
	double idle, had; /* shares of the CPUs' time, over all runs: idle; the command's */
	/* for the run in progress */
	struct cpu_times before[CPU_SETSIZE], after[CPU_SETSIZE];
	double began, idle_s, wall_s, used_s, idle_now;
};

/* Room for so many runs. 0, -1: out of memory. */
int displacement_confirm_begin(struct displacement_confirm *c, const cpu_set_t *cpus, size_t runs);
/* To be called as those in displacement.h: before a run; launch_hold.born; launch_watch.ended; and
 * when it has been waited for. */
void displacement_confirm_run(struct displacement_confirm *c);
void displacement_confirm_born(void *confirm, pid_t pid);
void displacement_confirm_ended(void *confirm, pid_t pid);
void displacement_confirm_add(struct displacement_confirm *c, const struct rusage *usage);

/* True if the time that the command took is its CPU time. */
bool displacement_confirm_holds(const struct displacement_confirm *c);

/* The command's CPU time beside the fluid over that without it: the ratio of the means, with the
 * limits of the mean of ratios where both were run more than once. */
struct displacement_interval displacement_confirm_effect(const struct displacement_confirm *c,
							 const struct displacement_summary *s);
