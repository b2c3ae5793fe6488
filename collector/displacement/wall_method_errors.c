// SPDX-License-Identifier: GPL-3.0-or-later
/* What the paper's error terms are made of (section 3), each measured here. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/bench/bench_subject.h"
#include "collector/clocks/clocks_read.h"
#include "collector/clocks/rounds.h"
#include "collector/displacement/wall_method_private.h"

#define STARTS	   9
#define STEP_S	   0.01
#define NS_PER_SEC 1e9

/* What the clock claims, or the smallest step that it was seen to make, if that is more. */
static double clock_resolution(void)
{
	struct timespec t = {0};
	double claimed, seen;

	clock_getres(CLOCK_MONOTONIC, &t);
	claimed = (double)t.tv_sec + (double)t.tv_nsec / NS_PER_SEC;
	seen = (double)clocks_measure_smallest_step(clocks_read_source(SCP_CLOCK_MONOTONIC)->read,
						    STEP_S) /
	       NS_PER_SEC;
	return fmax(claimed, seen);
}

static double cpu_seconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
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
		cost[n++] = cpu_seconds(&usage);
	}
	close(atoi(path + strlen("/proc/self/fd/")));
	return rounds_median(cost, n);
}

int wall_method_errors_prepare(struct wall_method_work *w)
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

void wall_method_errors_clean_up(struct wall_method_work *w)
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

void wall_method_errors_daemons_begin(struct wall_method_work *w)
{
	tasks_look(&w->tasks);
	tasks_mark(&w->tasks);
	cpu_times_read(w->before, CPU_SETSIZE);
}

void wall_method_errors_daemons(struct wall_method_work *w, double *stolen, double *others)
{
	*stolen = *others = 0;
	cpu_times_read(w->after, CPU_SETSIZE);
	tasks_look(&w->tasks);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct cpu_times t = cpu_times_since(&w->before[cpu], &w->after[cpu]);

		if (!CPU_ISSET(cpu, &w->o->cpus))
			continue;
		*stolen += t.known ? t.steal : 0;
		*others += (double)w->tasks.on_ns[cpu] / NS_PER_SEC;
	}
}
