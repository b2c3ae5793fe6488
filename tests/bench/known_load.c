// SPDX-License-Identifier: GPL-3.0-or-later
/* Displacement against a load whose size is known: what interrupts do to a fluid, a signal
 * handler can do as well. It takes CPU time that is charged to the fluid's thread and is none of
 * its progress, and its own clock tells how much.
 *
 *      known_load RUNS MEAN_US COMMAND [ARG...]
 *
 * runs the command RUNS times beside the fluid. In each fluid's thread a timer of its CPU time
 * expires at every tick of the kernel; the handler spins for a random time (exponential, of
 * MEAN_US in the mean, and by turns of 0.15 s a third more and less than that) while
 * the command runs, and returns at once while it does not, so that what a signal itself costs
 * is there at rest, too. Prints for each run the known load, the estimate and its 95 % limits.
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/machine/cpus.h"
#include "collector/displacement/displacement.h"
#include "collector/displacement/displacement_summary.h"
#include "collector/launch/launch.h"
#include "collector/launch/program.h"

#define EXPIRES_NS 3000000 /* of CPU time: the kernel looks at every tick */
#define LONGEST	   5	   /* means */
#define TURN_NS	   UINT64_C(150000000)
#define REST_S	   1.0

static struct {
	atomic_bool on;
	atomic_ullong done_ns;
	double mean_ns;
} load;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* splitmix64, one a thread */
static double uniform(void)
{
	static _Thread_local uint64_t state;
	uint64_t z;

	if (!state)
		state = (uint64_t)gettid() * 0xd1342543de82ef95;
	z = (state += 0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

/* clock_gettime, log and atomics are all that is called: none has a lock. */
static void interrupt(int signal_number)
{
	uint64_t begin, now;
	double turn, length;

	(void)signal_number;
	if (!atomic_load(&load.on))
		return;
	begin = now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	turn = clock_ns(CLOCK_MONOTONIC) / TURN_NS % 2 ? 1.3 : 0.7;
	length = fmin(LONGEST, -log(uniform())) * turn * load.mean_ns;
	while ((double)(now - begin) < length)
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_fetch_add(&load.done_ns, now - begin);
}

/* In the fluid's thread, before its first window. */
static void begin_load(void *context, size_t i, size_t index)
{
	const struct itimerspec every = {{0, EXPIRES_NS}, {0, EXPIRES_NS}};
	struct sigevent tell = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
	sigset_t one;
	timer_t timer;

	(void)context;
	(void)i;
	if (index)
		return;
	tell._sigev_un._tid = gettid();
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &tell, &timer) ||
	    timer_settime(timer, 0, &every, NULL)) {
		perror("known_load: a timer of CPU time");
		_exit(1);
	}
	sigemptyset(&one);
	sigaddset(&one, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

static void ended(void *displace, pid_t pid)
{
	atomic_store(&load.on, false);
	displacement_run_ended(displace, pid);
}

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "known_load: %s\n", why);
	exit(1);
}

static void print_run(const struct displacement_run *run, double known)
{
	double low, high;

	displacement_limits(run->uncharged, 0.95, &low, &high);
	if (run->warnings & DISPLACEMENT_DISTURBED || !isfinite(low) ||
	    !displacement_summary_is_possible(run->uncharged, 0.95))
		low = high = NAN;
	printf("known: known_s %.6f lost_s %.6f low_s %.6f high_s %.6f used_s %.6f windows %zu "
	       "kept %zu wall_s %.6f others_s %.6f stolen_s %.6f\n",
	       known, isfinite(low) ? run->uncharged.value : NAN, low, high, run->program,
	       run->seen.windows, run->seen.kept, run->all.wall, run->all.others, run->all.stolen);
	fflush(stdout);
}

/* One run and the rest after it. */
static void run_once(struct displacement *d, const struct program *program, char **argv)
{
	const struct launch_hold hold = {displacement_run_born, d};
	const struct launch_watch watch = {DISPLACEMENT_TICK_MS, displacement_run_tick, ended, d};
	struct profile_error err;
	struct displacement_run run;
	struct rusage usage;
	struct launch l;
	bool exec_failed;

	atomic_store(&load.done_ns, 0);
	if (displacement_run_begin(d, true, &err))
		give_up(err.text);
	atomic_store(&load.on, true);
	if (launch_start_held(&l, program->path, argv, program->shell_fallback, 0, &exec_failed,
			      &hold))
		give_up("the command cannot be started");
	launch_wait_watched(&l, &watch, &usage);
	launch_close(&l);
	if (l.ended_by)
		exit(128 + l.ended_by);
	if (displacement_run_end(d, &usage, &err) || displacement_idle_phase(d, REST_S) ||
	    displacement_account_finish(d, &run, &err))
		give_up("interrupted, or no memory");
	print_run(&run, (double)atomic_load(&load.done_ns) / 1e9);
	displacement_account_free(&run);
}

int main(int argc, char **argv)
{
	const struct sigaction act = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
	struct displacement_options options = {.edge = begin_load};
	static struct program program;
	struct profile_error err;
	struct displacement *d;

	if (argc < 4 || atoi(argv[1]) < 1 || atof(argv[2]) <= 0) {
		fprintf(stderr, "usage: known_load RUNS MEAN_US COMMAND [ARG...]\n");
		return 2;
	}
	load.mean_ns = 1e3 * atof(argv[2]);
	program_examine(argv[3], &program);
	sigaction(SIGRTMIN, &act, NULL);
	if (cpus_choose(NULL, &options.cpus, &err) || !(d = displacement_open(&options, &err)))
		give_up(err.text);
	if (displacement_idle_phase(d, REST_S))
		give_up("interrupted");
	for (int i = 0; i < atoi(argv[1]); i++)
		run_once(d, &program, argv + 3);
	displacement_close(d);
	return 0;
}
