// SPDX-License-Identifier: GPL-3.0-or-later
/* Displacement: a fluid on each CPU of a set, a program confined to the set, and an account of all
 * the time that there was.
 *
 *      displacement_open               starts the fluid, measures what a switch costs it
 *      displacement_idle_phase         an idle phase: what interrupts take without the program
 *      displacement_run_begin          before the program is started
 *      displacement_run_born           in launch_hold.born: confines it, opens its counters
 *      displacement_run_tick           in launch_watch.tick, every DISPLACEMENT_TICK_MS or so
 *      displacement_run_ended          in launch_watch.ended: asks what only a zombie knows
 *      displacement_run_end            the run is over
 *      displacement_idle_phase         an idle phase between two runs serves both
 *      displacement_account_finish     the account of the run, by the idle phases around it
 *      displacement_close              ends the fluid; accounts stay
 *
 * An analysis of its own (regression by call site) takes the windows from the account.
 *
 * One measurement a process, one thread uses it. Seconds unless a name says otherwise. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "collector/machine/cpu_times.h"
#include "profile/profile.h"
#include "stats/displacement/displacement.h"

#define DISPLACEMENT_TICK_MS 10

struct displacement_options {
	cpu_set_t cpus;
	double rest_s; /* length of the idle phases: the other measurements take half of it and half
			  a second at most. 0: half a second */
	bool any_quota; /* measure even where the cgroup's quota is smaller than the set */
	/* Called at each tick of a run and at its end, `at` as displacement_window.at, to sample
	 * other counters. It runs beside the program, so it may take microseconds. NULL: none. */
	void (*sample)(void *context, double at);
	/* Called by the fluid of CPU i of the set before its window `index` (fluid.h). */
	void (*edge)(void *context, size_t i, size_t index);
	void *context; /* of both */
};

struct displacement;

/* Takes about half a second. NULL and *err: see cpus.h, fluid.h; or the quota is too small. */
struct displacement *displacement_open(const struct displacement_options *o,
				       struct profile_error *err);
void displacement_close(struct displacement *d);

/* An idle phase: the fluid alone for so long, and up to 5 s longer where other tasks leave a CPU
 * too little of it for a rate; after one that was too short all the same, none is prolonged. Ends
 * with one of the signals that end a program, pending or arriving (where it is blocked, as after
 * launch_start): then its number, else 0. */
int displacement_idle_phase(struct displacement *d, double seconds);

#define DISPLACEMENT_OPEN_S 0.5 /* what displacement_open takes */

/* ---- the results of a run ---- */

struct displacement_cpu {
	int cpu;
	union {
		struct {
			/* = program + others + scprof + interrupts + stolen + idle + remainder */
			double wall;
			double program, others, scprof;
			/* Charged to the fluid and not its progress. Its parts: what there is in
			 * idle phases, too; the kernel's part of switching; what came with the
			 * program. */
			double interrupts, resting, switching, uncharged;
			double stolen; /* by the host: the larger of /proc/stat's and the fluid's */
			double stolen_fluid; /* the part of it while the fluid had the CPU */
			double idle;	     /* the fluid's own: the CPU would have been idle */
			double remainder;    /* not explained: the error of the account */
			double irq, softirq; /* /proc/stat's columns */
		};
		double time[14]; /* all of these */
	};
	size_t windows, kept;
	uint64_t switches;
	struct displacement_value rest; /* rate */
	/* Of a run, until the next displacement_run_begin: its windows as the estimate used them,
	 * `at` in seconds of CLOCK_MONOTONIC_RAW; and the fluid's index (fluid.h) of the first. */
	struct displacement_series series;
	size_t first;
};

/* A process or kernel thread that used CPU time, or several of one name. */
struct displacement_task {
	char name[64];
	double seconds;
	int cpu;	/* CPU where it was last seen; -1: several or unknown */
	bool softirq;	/* ksoftirqd: softirq work under another name */
	uint32_t tasks; /* of this name */
};

struct displacement_tasks {
	struct displacement_task *task;
	size_t count;
};

/* The same CPU time by four accountings; NAN: not available, and why. */
struct displacement_accounting {
	double rusage, rusage_user, rusage_system; /* with the children it waited for */
	double task_clock;			   /* stolen time is in it */
	double task_clock_outside;		   /* the part of it on CPUs outside of the set */
	double taskstats; /* of all that descend from the command and have ended */
	double schedstat; /* of the command's first thread alone */
	char task_clock_why[160], taskstats_why[160], schedstat_why[160];
	bool schedstat_partial; /* the command had more threads or children */
};

enum displacement_warning {
	DISPLACEMENT_DISTURBED = 1,	   /* "too-disturbed": under half of it in kept windows */
	DISPLACEMENT_SHORT = 2,		   /* "too-short": too few windows for an error */
	DISPLACEMENT_MOVED = 4,		   /* "affinity-changed": it left the set */
	DISPLACEMENT_UNWAITED = 8,	   /* "children-not-waited-for": rusage lacks them */
	DISPLACEMENT_REMAINDER = 16,	   /* "account-does-not-add-up": remainder above 2 % */
	DISPLACEMENT_THROTTLED = 32,	   /* "quota-throttled" */
	DISPLACEMENT_HIDDEN = 64,	   /* "processes-hidden": hidepid, a container */
	DISPLACEMENT_CPU_LOST = 128,	   /* "cpu-lost": hot-unplug or a cpuset changed */
	DISPLACEMENT_IRQ_MEASURED = 256,   /* "irq-time-measured": see cpu_times.h */
	DISPLACEMENT_NO_SWITCH_COST = 512, /* "switch-cost-unknown" */
	DISPLACEMENT_REST_UNKNOWN =
		1024,		    /* "rest-unknown": the fluid hardly ran in the idle phases */
	DISPLACEMENT_OTHERS = 2048, /* "others-busy": the result is a bound */
	DISPLACEMENT_STEERED =
		4096, /* "steered-away": CPUs outside the set take received packets */
	DISPLACEMENT_SIBLINGS = 8192, /* "siblings": hyper-threads of one core are in the set */
	DISPLACEMENT_SPLIT = 16384, /* "core-split": one of two hyper-threads is outside the set */
	DISPLACEMENT_GROUP = 32768, /* "other-group": its scheduling group is not the fluid's */
};

struct displacement_run {
	double elapsed;	 /* of the program, from its start to its end */
	double program;	 /* its CPU time: the largest of the accountings without stolen time */
	double softirqd; /* ksoftirqd's time beyond what it uses in idle phases */
	struct displacement_uncharged seen;  /* by the fluids */
	struct displacement_value uncharged; /* what was seen, and softirqd */
	/* program + uncharged, less what switching shifted from the fluid to the program: the
	 * kernel fixes the moment of a switch when the program is woken, and the fluid runs on a
	 * little */
	struct displacement_value displacement;
	/* Time that interrupts which struck other tasks may have taken besides these two:
	 * they are charged to those tasks. `bound`: others had so much time that these two are
	 * lower bounds, and that nothing is known about the rest; then it is all their time. */
	double hidden;
	bool bound;
	struct displacement_accounting accounting;
	/* A switch adds so much to the fluid's charged time beyond its progress, seconds; often
	 * negative. Where it could not be measured, 0 with the error that it may have. */
	struct displacement_value switching;
	struct displacement_cpu *cpu;
	size_t cpus;
	struct displacement_cpu all;	  /* sums */
	struct displacement_tasks others; /* by time, longest first */
	unsigned warnings;		  /* enum displacement_warning, or-ed */
	bool interrupted;		  /* a signal ended it */
	double rest; /* length of the idle phases before and after it, together */
};

/* `task_clock`: it is counted by perf's task-clock, too. That costs a program that switches often
 * some hundredths of its CPU time; without it, the program's time on each CPU and its progress in
 * time are known less well. 0; -1 and *err: nothing has to be undone. */
int displacement_run_begin(struct displacement *d, bool task_clock, struct profile_error *err);
void displacement_run_born(void *displace, pid_t pid);
void displacement_run_tick(void *displace);
void displacement_run_ended(void *displace, pid_t pid);
/* 0; -1: out of memory. `usage` as launch_wait_watched gave it. */
int displacement_run_end(struct displacement *d, const struct rusage *usage,
			 struct profile_error *err);

/* The account of the last run; call it after the idle phase that follows (or without one: then that
 * before the run is used alone). To be freed by displacement_account_free. 0; -1: out of memory. */
int displacement_account_finish(struct displacement *d, struct displacement_run *run,
				struct profile_error *err);
void displacement_account_free(struct displacement_run *run);
/* Adds the times of `c` / n to those of `to`, and its counts. */
void displacement_account_add(struct displacement_cpu *to, const struct displacement_cpu *c,
			      double n);
/* Adds to the task of that name. 0; -1: out of memory. */
int displacement_tasks_add(struct displacement_tasks *l, const char *name, double seconds, int cpu,
			   uint32_t tasks);
/* Sorts by time, longest first. */
void displacement_tasks_sort(struct displacement_tasks *l);

/* A warning's code, for scripts, and its sentence. `one` is a single bit. */
struct displacement_words {
	const char *code, *text;
};
const struct displacement_words *displacement_warning_words(enum displacement_warning one);

/* Nanoseconds that the program has been on CPU i of the set, stolen time included; UINT64_MAX: not
 * available. While a run lasts; any thread. */
uint64_t displacement_run_program_ns(const struct displacement *d, size_t i);

/* Seconds of CLOCK_MONOTONIC_RAW now, on the scale of displacement_window.at. */
double displacement_now(void);

/* How busy each CPU is, measured indirectly: what a fluid cannot get (the idle counter of
 * performance lectures), compared with what /proc/stat says. */

struct cpu_load {
	int cpu;
	double wall;	   /* = idle + waited + interrupts + stolen */
	double idle;	   /* the fluid's own progress */
	double waited;	   /* other tasks had the CPU, with the time that was stolen from them */
	double interrupts; /* while the fluid had it */
	double stolen;	   /* likewise, stolen time */
	double charged;	   /* to the fluid: /proc/stat has it as busy */
	struct cpu_times stat; /* differences; not known where `known` is false */
};

/* For so long, on the CPUs of `d`; load[i] is CPU i. A signal that ended it sooner, or 0; -1:
 * hardly any time has passed. */
int cpu_load_measure(struct displacement *d, double seconds, struct cpu_load *load);
