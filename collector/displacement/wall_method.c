// SPDX-License-Identifier: GPL-3.0-or-later
/* Replications of steps 1 and 2; and what the paper's error terms are made of (section 3), each
 * measured here. */
#include "collector/displacement/wall_method.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/bench/bench_subject.h"
#include "collector/clocks/clocks_read.h"
#include "stats/mean/replications.h"
#include "collector/launch/launch.h"
#include "collector/launch/signal_wait.h"
#include "collector/machine/cpu_times.h"
#include "collector/machine/tasks.h"

#define LEAD_MS	   5 /* the fluid begins a little before the command */
#define TICK_MS	   10
#define MARGIN	   1.15 /* and ends a little after it */
#define MARGIN_S   0.05
#define LONGER	   1.5 /* where it was too short */
#define MOST_TRIES 8
#define STARTS	   9
#define STEP_S	   0.01

struct work {
	const struct wall_method_options *o;
	struct wall_method_result *result;
	struct wall_method_replication *now; /* the one in progress */
	struct wall_method_fluid *fluid;
	double deadline;  /* of CLOCK_MONOTONIC, seconds */
	uint64_t *loops;  /* L_F, a CPU; 0: without end */
	uint64_t *needed; /* that it had done when the command ended, a CPU, the last time */
	double *tau;	  /* tau_F of the last step 1, a CPU */
	struct tasks tasks;
	struct cpu_times *before, *after;
};

/* ---- the error terms ---- */

/* What the clock claims, or the smallest step that it was seen to make, if that is more. */
static double clock_resolution(void)
{
	struct timespec t = {0};
	double claimed, seen;

	clock_getres(CLOCK_MONOTONIC, &t);
	claimed = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	seen = (double)clocks_measure_smallest_step(clocks_read_source(SCP_CLOCK_MONOTONIC)->read,
						    STEP_S) /
	       1e9;
	return fmax(claimed, seen);
}

/* S: CPU time to start and end a program that does nothing. The libraries that a real program loads
 * count as its own time. */
static double start_cost(void)
{
	double cost[STARTS];
	char path[64], *argv[] = {path, NULL};
	struct rusage usage;
	size_t n = 0;
	pid_t pid;

	if (bench_command_empty(path, sizeof(path)))
		return NAN;
	while (n < STARTS && (pid = fork()) >= 0) {
		if (!pid) {
			execv(path, argv);
			_exit(127);
		}
		if (wait4(pid, NULL, 0, &usage) != pid)
			break;
		cost[n++] = cpu_times_of_usage(&usage);
	}
	close(atoi(path + strlen("/proc/self/fd/")));
	return replications_median(cost, n);
}

static int prepare(struct work *w)
{
	w->fluid = wall_method_fluid_make(&w->o->cpus);
	w->loops = calloc((size_t)CPU_COUNT(&w->o->cpus), sizeof(*w->loops));
	w->tau = calloc((size_t)CPU_COUNT(&w->o->cpus), sizeof(*w->tau));
	w->needed = calloc((size_t)CPU_COUNT(&w->o->cpus), sizeof(*w->needed));
	w->before = calloc(CPU_SETSIZE, sizeof(*w->before));
	w->after = calloc(CPU_SETSIZE, sizeof(*w->after));
	if (!w->fluid || !w->loops || !w->tau || !w->needed || !w->before || !w->after ||
	    tasks_begin(&w->tasks))
		return -1;
	w->result->clock = clock_resolution();
	w->result->start = start_cost();
	w->result->first_loop = wall_method_fluid_first_loop();
	return 0;
}

static void clean_up(struct work *w)
{
	if (w->fluid)
		wall_method_fluid_free(w->fluid);
	tasks_free(&w->tasks);
	free(w->loops);
	free(w->tau);
	free(w->needed);
	free(w->before);
	free(w->after);
}

/* What others take of the CPUs of the set from here on. */
static void daemons_begin(struct work *w)
{
	tasks_look(&w->tasks);
	tasks_mark(&w->tasks);
	cpu_times_read(w->before, CPU_SETSIZE);
}

/* How much it was, seconds: by the host, by other processes. */
static void daemons_end(struct work *w, double *stolen, double *others)
{
	*stolen = *others = 0;
	cpu_times_read(w->after, CPU_SETSIZE);
	tasks_look(&w->tasks);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct cpu_times t = cpu_times_since(&w->before[cpu], &w->after[cpu]);

		if (!CPU_ISSET(cpu, &w->o->cpus))
			continue;
		*stolen += t.known ? t.steal : 0;
		*others += (double)w->tasks.on_ns[cpu] / 1e9;
	}
}

/* ---- steps ---- */

static bool out_of_time(struct work *w)
{
	if (w->o->longest_s > 0 && clocks_read_seconds() >= w->deadline)
		w->result->out_of_time = true;
	return w->result->out_of_time;
}

/* Until all fluids have ended, the time is over, or a signal: its number. */
static int wait_for(struct work *w)
{
	struct signal_wait ending;
	int got = 0;

	signal_wait_begin(&ending);
	while (!got && !wall_method_fluid_ended(w->fluid) && !out_of_time(w))
		got = signal_wait_next(&ending, TICK_MS);
	signal_wait_end(&ending);
	return got;
}

static enum wall_method_end fail(struct profile_error *err, const char *what)
{
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(errno));
	return WALL_METHOD_FAILED;
}

static struct woodside_step sum_up(struct work *w, int step)
{
	struct woodside_step s = {0};

	w->now->displaced = 0;
	for (size_t i = 0; i < wall_method_fluid_count(w->fluid); i++) {
		struct wall_method_fluid_run r = wall_method_fluid_result(w->fluid, i);

		s.time += r.ended - r.began;
		s.loops += (double)r.loops;
		/* fluids of unequal CPUs differ: each is compared with its own calibration */
		struct woodside_step one = {.time = r.ended - r.began, .loops = (double)r.loops};
		if (!step)
			w->tau[i] = woodside_tau_fluid(&one);
		else
			w->now->displaced += woodside_displaced(&one, w->tau[i]);
	}
	daemons_end(w, &w->now->stolen[step], &w->now->others[step]);
	s.daemons = w->now->stolen[step] + w->now->others[step];
	return s;
}

/* Step 1: the fluid alone. */
static enum wall_method_end alone(struct work *w, struct profile_error *err)
{
	daemons_begin(w);
	if (wall_method_fluid_start(w->fluid, w->loops))
		return fail(err, "cannot run a fluid on each CPU");
	w->result->stopped_by = wait_for(w);
	wall_method_fluid_finish(w->fluid);
	w->now->alone = sum_up(w, 0);
	return w->result->stopped_by || w->result->out_of_time ? WALL_METHOD_STOPPED
							       : WALL_METHOD_DONE;
}

static void confine(void *work, pid_t pid)
{
	struct work *w = work;

	tasks_set_command(&w->tasks, pid);
	sched_setaffinity(pid, sizeof(w->o->cpus), &w->o->cpus);
}

/* The command, beside the fluid; *too_short: a fluid ended before it. */
static enum wall_method_end run_command(struct work *w, bool *too_short, struct profile_error *err)
{
	const struct launch_hold hold = {confine, w};
	const struct launch_watch watch = {.period_ms = 1000};
	struct rusage usage;
	bool exec_failed;
	struct launch l;
	int status;

	if (launch_start_held(&l, w->o->path, w->o->argv, w->o->shell_fallback, 0, &exec_failed,
			      &hold)) {
		w->result->exec_errno = errno;
		return exec_failed ? WALL_METHOD_EXEC : fail(err, "cannot start a process");
	}
	status = launch_exit_status(launch_wait_watched(&l, &watch, &usage));
	*too_short = wall_method_fluid_any_ended(w->fluid);
	for (size_t i = 0; !*too_short && i < wall_method_fluid_count(w->fluid); i++)
		w->needed[i] = wall_method_fluid_done(w->fluid, i);
	launch_close(&l);
	tasks_set_command(&w->tasks, 0);
	w->result->status = w->result->status ? w->result->status : status;
	w->result->stopped_by = l.ended_by;
	w->now->rusage = cpu_times_of_usage(&usage);
	return l.ended_by ? WALL_METHOD_STOPPED : WALL_METHOD_DONE;
}

/* Step 2: both together. */
static enum wall_method_end together(struct work *w, bool *too_short, struct profile_error *err)
{
	const struct timespec lead = {.tv_nsec = LEAD_MS * 1000000L};
	enum wall_method_end end;

	daemons_begin(w);
	if (wall_method_fluid_start(w->fluid, w->loops))
		return fail(err, "cannot run a fluid on each CPU");
	nanosleep(&lead, NULL);
	end = run_command(w, too_short, err);
	if (end == WALL_METHOD_DONE && !*too_short && w->loops[0])
		w->result->stopped_by = wait_for(w);
	wall_method_fluid_finish(w->fluid);
	w->now->together = sum_up(w, 1);
	return w->result->stopped_by || w->result->out_of_time ? WALL_METHOD_STOPPED : end;
}

/* Some more than the fluids had done when the command ended, the last time: one long run that other
 * tasks delayed must not make all later ones as long. */
static void set_loops(struct work *w, bool too_short)
{
	w->result->loops_fluid = 0;
	for (size_t i = 0; i < wall_method_fluid_count(w->fluid); i++) {
		struct wall_method_fluid_run r = wall_method_fluid_result(w->fluid, i);
		double rate = (double)r.loops / (r.ended - r.began);

		w->loops[i] = too_short
				      ? (uint64_t)(LONGER * (double)w->loops[i])
				      : (uint64_t)(MARGIN * (double)w->needed[i] + MARGIN_S * rate);
		w->result->loops_fluid += w->loops[i];
	}
}

static enum wall_method_end find_loops(struct work *w, struct profile_error *err)
{
	bool too_short;
	enum wall_method_end end;

	memset(w->loops, 0, wall_method_fluid_count(w->fluid) * sizeof(*w->loops));
	end = together(w, &too_short, err);
	w->result->tries++;
	if (end == WALL_METHOD_DONE)
		set_loops(w, false);
	return end;
}

/* A fluid's loops are so many that the whole command fits in. */
static enum wall_method_end replicate(struct work *w, struct profile_error *err)
{
	enum wall_method_end end = alone(w, err);
	bool too_short = true;

	for (unsigned tries = 0; end == WALL_METHOD_DONE; tries++) {
		end = together(w, &too_short, err);
		if (end != WALL_METHOD_DONE || !too_short)
			return end;
		if (tries == MOST_TRIES) {
			errno = ETIME;
			return fail(err,
				    "the command takes longer and longer; L_F cannot be found");
		}
		w->result->tries++;
		set_loops(w, true);
		end = alone(w, err);
	}
	return end;
}

static void finish(struct work *w)
{
	struct wall_method_replication *n = w->now;
	const struct woodside_known known = {
		.loops = w->o->loops,
		.clock = w->result->clock,
		.start = w->result->start,
		.first_loop = w->result->first_loop,
		.intervals = n->intervals,
	};

	n->tau_fluid = woodside_tau_fluid(&n->alone);
	n->errors = woodside_errors(&n->alone, &n->together, &known);
	w->result->count++;
}

static enum wall_method_end replicate_all(struct work *w, struct profile_error *err)
{
	enum wall_method_end end = find_loops(w, err);

	while (end == WALL_METHOD_DONE && w->result->count < w->o->replications &&
	       !out_of_time(w)) {
		if (w->o->progress)
			w->o->progress(w->o->context, w->result->count);
		w->now = &w->result->replication[w->result->count];
		end = replicate(w, err);
		for (size_t i = 0; i < wall_method_fluid_count(w->fluid); i++)
			w->now->intervals +=
				(double)wall_method_fluid_result(w->fluid, i).intervals;
		if (end == WALL_METHOD_DONE) {
			finish(w);
			set_loops(w, false);
		}
	}
	if (end != WALL_METHOD_STOPPED && end != WALL_METHOD_DONE)
		return end;
	if (w->result->count || w->result->stopped_by)
		return w->result->count ? WALL_METHOD_DONE : WALL_METHOD_STOPPED;
	snprintf(err->text, sizeof(err->text),
		 "not one replication was complete after %.4g s: let the command do less, or give "
		 "it more time (--time-limit)",
		 w->o->longest_s);
	return WALL_METHOD_FAILED;
}

static void summarise(struct wall_method_result *r, double confidence)
{
	double *x = calloc(3 * r->count + 1, sizeof(*x)), n = (double)r->count;

	if (!x)
		return;
	for (size_t i = 0; i < r->count; i++) {
		const struct wall_method_replication *p = &r->replication[i];

		x[i] = p->displaced;
		x[r->count + i] = p->rusage;
		x[2 * r->count + i] = p->tau_fluid;
		r->errors.daemons += p->errors.daemons / n;
		r->errors.cache += p->errors.cache / n;
		r->errors.resolution += p->errors.resolution / n;
		r->errors.start += p->errors.start / n;
	}
	r->displaced = replications_mean(x, r->count, confidence);
	r->rusage = replications_mean(x + r->count, r->count, confidence);
	r->tau_fluid = replications_mean(x + 2 * r->count, r->count, confidence);
	free(x);
}

enum wall_method_end wall_method_measure(const struct wall_method_options *o,
					 struct wall_method_result *r, struct profile_error *err)
{
	struct work w = {.o = o, .result = r};
	enum wall_method_end end = WALL_METHOD_FAILED;

	*r = (struct wall_method_result){.replication =
						 calloc(o->replications, sizeof(*r->replication))};
	w.now = r->replication;
	if (!r->replication || prepare(&w)) {
		errno = ENOMEM;
		fail(err, "cannot prepare the measurement");
	} else {
		w.deadline = clocks_read_seconds() + o->longest_s;
		end = replicate_all(&w, err);
		summarise(r, o->confidence);
	}
	clean_up(&w);
	return end;
}

void wall_method_free(struct wall_method_result *r)
{
	free(r->replication);
	r->replication = NULL;
}
