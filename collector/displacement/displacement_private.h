// SPDX-License-Identifier: GPL-3.0-or-later
/* The state of a measurement, and its parts. Instants are counter units (fluid.h). */
#pragma once

#include "collector/displacement/displacement.h"
#include "collector/displacement/fluid/fluid.h"
#include "collector/machine/tasks.h"
#include "profile/base/counter.h"
#include "collector/machine/taskstats.h"

/* The kernel's PID_MAX_LIMIT. */
#define MOST_PIDS (4 << 20)

/* Samples of the program's CPU time. */
struct progress {
	uint64_t at, ns;
};

/* A period in which the fluid ran alone. */
struct idle_phase {
	uint64_t from, to;
	double softirqd_s;	   /* CPU time of ksoftirqd of the set */
	double woken[CPU_SETSIZE]; /* rescheduling interrupts; NAN: not known */
};

/* Arrays have an element for each CPU of the set, in its order, unless a comment says otherwise. */
struct displacement {
	struct displacement_options options;
	struct fluid *fluid;
	size_t cpus;
	struct displacement_value here, away; /* a switch of either kind: displacement_switch.c */
	struct displacement_value switching;  /* mean cost of a switch of the run */
	struct displacement_value cost[CPU_SETSIZE]; /* of a switch on each CPU */
	double rest_switches[CPU_SETSIZE]; /* a second of the fluid's time in the idle phases */
	uint64_t woken_from[CPU_SETSIZE], woken_to[CPU_SETSIZE]; /* all CPUs: interrupts then */
	double woken[CPU_SETSIZE]; /* rescheduling interrupts of the run; NAN: not known */
	bool irq_measured, switching_known;
	unsigned standing; /* warnings that hold for every run */

	struct idle_phase idle[2]; /* the last two, the last one last */
	bool never_enough;	   /* one was too short, however long it was made */

	struct tasks tasks;
	struct taskstats_socket ends;
	struct displacement_tasks ended;    /* others that only taskstats reported */
	unsigned char child[MOST_PIDS / 8]; /* a bit a pid: of the program, alive or ended */
	uint64_t children_ns; /* CPU time of the program's ended processes, from taskstats */

	/* the run */
	pid_t pid;
	uint64_t from, to;				   /* from its birth to its end */
	uint64_t from_ns[CPU_SETSIZE], to_ns[CPU_SETSIZE]; /* the fluid's CPU clocks then */
	double rate;	 /* counter units per second, at the end of the run */
	bool task_clock; /* is asked for */
	struct task_clock clock;
	double clock_on[CPU_SETSIZE];
	struct progress *progress;
	uint32_t progresses;
	uint64_t next_look;
	struct cpu_times before[CPU_SETSIZE], after[CPU_SETSIZE]; /* all CPUs */
	double own[CPU_SETSIZE]; /* the measuring thread's own time */
	uint64_t own_last_ns, own_from_ns, throttled;
	double own_all; /* of all threads but the fluid */
	struct displacement_accounting accounting;
	unsigned warnings;
	bool has_children;
	double preempted; /* how often the program lost a CPU to another task */
	struct displacement_tasks others;
	double other_on[CPU_SETSIZE], other_ended; /* seconds; of those only seen to end */
	double softirqd, living; /* ksoftirqd of the set; the program as tasks.h saw it */

	struct displacement_series series[CPU_SETSIZE]; /* of the run */
};

/* displacement_switch.c: here, away and switching */
void displacement_switch_measure(struct displacement *d, double units_per_ns);
/* count: [CPU_SETSIZE] rescheduling interrupts until now; woken: [cpus] interrupts since
 * d->woken_from, NAN: unknown. */
void displacement_switch_count(uint64_t *count);
void displacement_switch_since(struct displacement *d, double *woken);
/* The cost of a switch, where there were so many switches and interrupts, of which up to `struck`
 * struck other tasks. */
struct displacement_value displacement_switch_cost(const struct displacement *d, double switches,
						   double interrupts, double struck);
/* Sets d->cost and d->switching of the run. */
void displacement_switch_set(struct displacement *d);

/* displacement_windows.c */
/* The clocks where a run, or a look at the load, begins and ends. */
void displacement_windows_begin(struct displacement *d);
void displacement_windows_end(struct displacement *d);
#define DISPLACEMENT_LINGER_US 25000 /* until the windows at the end are closed */
/* Returns the first window of CPU i that ends after `from`. */
size_t displacement_windows_first_window(const struct displacement *d, size_t i, uint64_t from);
/* The windows in [from, to), as the estimate uses them: `whole`, of an idle phase, or also those
 * that overlap it, of a run. The caller frees out->window. Needs d->rate. -1: out of memory. */
int displacement_windows_span(const struct displacement *d, size_t i, uint64_t from, uint64_t to,
			      bool whole, struct displacement_series *out);
/* The fluid's work on CPU i from d->from to d->to, exactly: windows at the edges are divided by the
 * readings of its CPU clock. Seconds. */
struct fluid_sums {
	double charged, progress, waited, stolen, switches;
};
struct fluid_sums displacement_windows_fluid_sums(const struct displacement *d, size_t i);

/* displacement_sample.c */
/* The measuring thread's time, where it is now; that of all threads but the fluid's; tasks that
 * ended; what was used since the last tasks_mark. */
void displacement_sample_own(struct displacement *d);
uint64_t displacement_sample_own_ns(const struct displacement *d);
void displacement_sample_ends(struct displacement *d);
void displacement_sample_child(struct displacement *d, pid_t pid);
double displacement_sample_softirqd(const struct displacement *d);

/* Collects d->tasks and d->ended by name in d->others. -1: out of memory. */
int displacement_others(struct displacement *d);

/* displacement_idle.c: of the idle phase before the last run, and the one after it */
/* Sets run->cpu[].rest and warnings. -1: out of memory. */
int displacement_idle_set(struct displacement *d, struct displacement_run *run);
double displacement_idle_length(const struct displacement *d); /* seconds, together */
/* ksoftirqd's share of a second in the first and the last of them, which may be the same. */
void displacement_idle_softirqd(const struct displacement *d, double rate[2]);
