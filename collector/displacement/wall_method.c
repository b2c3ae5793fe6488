// SPDX-License-Identifier: GPL-3.0-or-later
/* Replications of steps 1 and 2. */
#include "collector/displacement/wall_method.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/wall_method_private.h"

#define LEAD_MS	   5 /* the fluid begins a little before the command */
#define TICK_MS	   10
#define MARGIN	   1.15 /* and ends a little after it */
#define MARGIN_S   0.05
#define LONGER	   1.5 /* where it was too short */
#define MOST_TRIES 8

static double now(void)
{
	return (double)clocks_read_ns(CLOCK_MONOTONIC) / 1e9;
}

static bool out_of_time(struct wall_method_work *w)
{
	if (w->o->longest_s > 0 && now() >= w->deadline)
		w->result->out_of_time = true;
	return w->result->out_of_time;
}

/* Until all fluids have ended, the time is over, or a signal: its number. */
static int wait_for(struct wall_method_work *w)
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

static struct woodside_step sum_up(struct wall_method_work *w, int step)
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
	wall_method_errors_daemons(w, &w->now->stolen[step], &w->now->others[step]);
	s.daemons = w->now->stolen[step] + w->now->others[step];
	return s;
}

/* Step 1: the fluid alone. */
static enum wall_method_end alone(struct wall_method_work *w, struct profile_error *err)
{
	wall_method_errors_daemons_begin(w);
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
	struct wall_method_work *w = work;

	w->pid = pid;
	tasks_set_command(&w->tasks, pid);
	sched_setaffinity(pid, sizeof(w->o->cpus), &w->o->cpus);
}

/* The command, beside the fluid; *too_short: a fluid ended before it. */
static enum wall_method_end run_command(struct wall_method_work *w, bool *too_short,
					struct profile_error *err)
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
		w->needed[i][w->together % WALL_METHOD_REMEMBERED] =
			wall_method_fluid_done(w->fluid, i);
	w->together += !*too_short;
	launch_close(&l);
	tasks_set_command(&w->tasks, 0);
	w->result->status = w->result->status ? w->result->status : status;
	w->result->stopped_by = l.ended_by;
	w->now->rusage = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	return l.ended_by ? WALL_METHOD_STOPPED : WALL_METHOD_DONE;
}

/* Step 2: both together. */
static enum wall_method_end together(struct wall_method_work *w, bool *too_short,
				     struct profile_error *err)
{
	const struct timespec lead = {.tv_nsec = LEAD_MS * 1000000L};
	enum wall_method_end end;

	wall_method_errors_daemons_begin(w);
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

/* Some more than the fluids had done when the command ended, in the last runs: one long run that
 * other tasks delayed must not make all later ones as long. */
static void set_loops(struct wall_method_work *w, bool too_short)
{
	w->result->loops_fluid = 0;
	for (size_t i = 0; i < wall_method_fluid_count(w->fluid); i++) {
		struct wall_method_fluid_run r = wall_method_fluid_result(w->fluid, i);
		double rate = (double)r.loops / (r.ended - r.began);
		uint64_t most = 0;

		for (size_t k = 0; k < WALL_METHOD_REMEMBERED; k++)
			most = w->needed[i][k] > most ? w->needed[i][k] : most;
		w->loops[i] = too_short ? (uint64_t)(LONGER * (double)w->loops[i])
					: (uint64_t)(MARGIN * (double)most + MARGIN_S * rate);
		w->result->loops_fluid += w->loops[i];
	}
}

static enum wall_method_end find_loops(struct wall_method_work *w, struct profile_error *err)
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
static enum wall_method_end replicate(struct wall_method_work *w, struct profile_error *err)
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

static void finish(struct wall_method_work *w)
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

static enum wall_method_end replicate_all(struct wall_method_work *w, struct profile_error *err)
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
	struct wall_method_work w = {.o = o, .result = r};
	enum wall_method_end end = WALL_METHOD_FAILED;

	*r = (struct wall_method_result){.replication =
						 calloc(o->replications, sizeof(*r->replication))};
	w.now = r->replication;
	if (!r->replication || wall_method_errors_prepare(&w)) {
		errno = ENOMEM;
		fail(err, "cannot prepare the measurement");
	} else {
		w.deadline = now() + o->longest_s;
		end = replicate_all(&w, err);
		summarise(r, o->confidence);
	}
	wall_method_errors_clean_up(&w);
	return end;
}

void wall_method_free(struct wall_method_result *r)
{
	free(r->replication);
	r->replication = NULL;
}
