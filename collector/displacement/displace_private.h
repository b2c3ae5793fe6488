// SPDX-License-Identifier: GPL-3.0-or-later
/* The state of a measurement, and its parts. Instants are counter units (fluid.h). */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_DISPLACE_PRIVATE_H
#define SCPROF_COLLECTOR_DISPLACEMENT_DISPLACE_PRIVATE_H

#include "collector/machine/cpu_times.h"
#include "collector/displacement/displace.h"
#include "collector/displacement/fluid/fluid.h"
#include "collector/machine/task_clock.h"
#include "collector/machine/tasks.h"
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
	double softirqd_s; /* CPU time of ksoftirqd of the set */
	double *woken;	   /* [cpus]: rescheduling interrupts */
};

/* Ended tasks that only taskstats reported, by name. */
struct ended {
	char name[32];
	uint64_t ns;
	uint32_t tasks;
	bool program;
};

struct displace {
	struct displace_options options;
	struct fluid *fluid;
	size_t cpus;
	struct displacement_value here, away; /* a switch of either kind: displace_kinds.c */
	struct displacement_value switching;  /* mean cost of a switch of the run */
	struct displacement_value *cost;      /* [cpus]: cost of a switch on each CPU */
	double *rest_switches; /* [cpus]: a second of the fluid's time in the idle phases */
	uint64_t *woken_from, *woken_to; /* [CPU_SETSIZE]: rescheduling interrupts then */
	double *woken; /* [cpus]: rescheduling interrupts of the run; NAN: not known */
	bool irq_measured, switching_known;
	unsigned standing; /* warnings that hold for every run */

	struct idle_phase *idle_phase;
	uint32_t idle_phases, idle_room;
	bool never_enough; /* one was too short, however long it was made */

	struct tasks tasks;
	struct taskstats_socket ends;
	struct ended *ended;
	size_t ended_count;
	unsigned char *child; /* a bit a pid: of the program, alive or ended */
	uint64_t children_ns; /* CPU time of the program's ended processes, from taskstats */

	/* the run */
	pid_t pid;
	uint64_t from, to;	   /* from its birth to its end */
	uint64_t *from_ns, *to_ns; /* the fluid's CPU clocks at `from` and `to` */
	double rate;		   /* counter units per second, at the end of the run */
	struct task_clock clock;
	double clock_all; /* when it had ended */
	double *clock_on;
	struct progress *progress;
	uint32_t progresses, progress_room;
	uint64_t next_look;
	struct cpu_times *before, *after; /* [CPU_SETSIZE] */
	double *own;			  /* the measuring thread's own time, by CPU of the set */
	uint64_t own_last_ns, own_from_ns, throttled;
	double own_all;	  /* of all threads but the fluid */
	double rusage[3]; /* all, user, system */
	struct displace_accounting accounting;
	unsigned warnings;
	bool has_children;
	double preempted;	     /* how often the program lost a CPU to another task */
	struct displace_task *other; /* by time, longest first */
	size_t others;
	double *other_on, other_ended; /* seconds by CPU of the set; of those only seen to end */
	double softirqd, living;       /* ksoftirqd of the set; the program as tasks.h saw it */

	struct displacement_series *series; /* of the run, [cpus] */
	struct displacement_window **window;
};

/* displace_switch.c: takes at most about so long. `here`: wake-ups come from the same CPU, else
 * from another. */
struct displacement_value displace_switch_cost(int cpu, bool here, double units_per_ns,
					       double longest_s);

/* displace_kinds.c: here, away and switching */
void displace_kinds_measure(struct displace *d, double units_per_ns);
/* count: [CPU_SETSIZE] rescheduling interrupts until now; woken: [cpus] interrupts since
 * d->woken_from, NAN: unknown. */
void displace_kinds_count(uint64_t *count);
void displace_kinds_since(struct displace *d, double *woken);
/* Of so many switches with so many interrupts, of which up to `struck` struck other tasks. */
struct displacement_value displace_kinds_cost(const struct displace *d, double switches,
					      double interrupts, double struck);
/* Sets d->cost and d->switching of the run. */
void displace_kinds_set(struct displace *d);

/* displace_windows.c */
/* Returns the first window of CPU i that ends after `from`. */
size_t displace_windows_first_window(const struct displace *d, size_t i, uint64_t from);
/* The windows that overlap the run, as the estimate uses them; the caller frees *out. Needs
 * d->rate. -1: out of memory. */
int displace_windows_run_span(const struct displace *d, size_t i, struct displacement_window **out,
			      size_t *count);
/* The windows of an idle phase; as above. */
int displace_windows_idle_span(const struct displace *d, size_t i, const struct idle_phase *r,
			       struct displacement_window **out, size_t *count);
/* The windows of the idle phases before and after the run. The caller frees both, whatever is
 * returned. */
int displace_windows_idle_spans(const struct displace *d, size_t i,
				struct displacement_series span[2]);
/* The fluid's work on CPU i from d->from to d->to, exactly: windows at the edges are divided by the
 * readings of its CPU clock. Seconds. */
struct fluid_sums {
	double charged, progress, waited, stolen, switches;
};
struct fluid_sums displace_windows_fluid_sums(const struct displace *d, size_t i);

/* displace_sample.c */
void displace_sample_own(struct displace *d); /* the measuring thread's time, where it is now */
uint64_t displace_sample_own_ns(const struct displace *d); /* of all threads but the fluid's */
void displace_sample_ends(struct displace *d);		   /* tasks that ended */
void displace_sample_child(struct displace *d, pid_t pid);
double displace_sample_softirqd(const struct displace *d); /* used since the last tasks_mark */

/* displace_sample.c: collects d->tasks and d->ended by name in d->other. -1: out of memory. */
int displace_others(struct displace *d);

/* displace_idle.c: of the idle phase before the last run, and the one after it */
/* Sets run->cpu[].rest and warnings. -1: out of memory. */
int displace_idle_set(struct displace *d, struct displace_run *run);
double displace_idle_length(const struct displace *d); /* seconds, together */
/* ksoftirqd's share of a second in each idle phase; returns the number of idle phases. */
size_t displace_idle_softirqd(const struct displace *d, double rate[2]);

#endif
