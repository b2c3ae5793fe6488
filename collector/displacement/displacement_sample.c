// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples while the fluid runs: the CPU time of the measurement itself, and tasks that end. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/displacement_private.h"
#include "profile/base/kernel_file.h"
#include "profile/base/array.h"

static bool is_fluid(const struct displacement *d, pid_t tid)
{
	for (size_t i = 0; i < d->cpus; i++)
		if (fluid_thread(d->fluid, i) == tid)
			return true;
	return false;
}

/* Thread by thread: the clock of a whole process is as old as the last tick for threads
 * that run elsewhere, as fluids always do. */
uint64_t displacement_sample_own_ns(const struct displacement *d)
{
	DIR *threads = kernel_file_folder("/proc/self/task");
	uint64_t sum = 0;

	for (pid_t tid; (tid = kernel_file_next(&threads)) >= 0;)
		if (!is_fluid(d, tid))
			sum += fluid_thread_clock_ns(tid);
	return sum;
}

void displacement_sample_own(struct displacement *d)
{
	uint64_t now = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
	int cpu = sched_getcpu();

	for (size_t i = 0; i < d->cpus; i++)
		if (fluid_cpu(d->fluid, i) == cpu)
			d->own[i] += (double)(now - d->own_last_ns) / 1e9;
	d->own_last_ns = now;
}

/* An ended process stays a child: its threads may be reported later. A pid that the kernel uses
 * again within one run counts as the same process. */
static bool is_child(const struct displacement *d, pid_t pid)
{
	return pid > 0 && pid < MOST_PIDS && (d->child[pid / 8] >> pid % 8 & 1);
}

void displacement_sample_child(struct displacement *d, pid_t pid)
{
	if (pid > 0 && pid < MOST_PIDS)
		d->child[pid / 8] |= (unsigned char)(1u << pid % 8);
}

static void take_end(struct displacement *d, const struct taskstats_task *t)
{
	pid_t process = t->process ? t->process : t->thread;

	if (d->pid && (process == d->pid || is_child(d, process) || is_child(d, t->parent))) {
		displacement_sample_child(d, process);
		d->has_children |= t->thread != d->pid;
		d->children_ns += t->run_ns;
		return;
	}
	const struct task *known = tasks_find(&d->tasks, process);
	if (!known || known->gone)
		displacement_tasks_add(&d->ended, t->name, (double)t->run_ns / 1e9, -1, 1);
	else if (t->thread == process && t->run_ns > known->last_ns)
		/* since the last look at it, which will not see it again */
		displacement_tasks_add(&d->ended, t->name,
				       (double)(t->run_ns - known->last_ns) / 1e9, -1, 1);
}

void displacement_sample_ends(struct displacement *d)
{
	struct taskstats_task t;

	while (taskstats_next(&d->ends, &t))
		take_end(d, &t);
}

double displacement_sample_softirqd(const struct displacement *d)
{
	double sum = 0;

	for (const struct task *t = d->tasks.task; t < d->tasks.task + d->tasks.count; t++)
		if (t->kernel && !strncmp(t->name, "ksoftirqd/", 10) && t->cpu >= 0 &&
		    t->cpu < CPU_SETSIZE && CPU_ISSET(t->cpu, &d->options.cpus))
			sum += (double)t->used_ns / 1e9;
	return sum;
}

/* The other tasks of the run, by name: from the samples of all processes, and from the
 * ends of short-lived ones. */

int displacement_tasks_add(struct displacement_tasks *l, const char *name, double seconds, int cpu,
			   uint32_t tasks)
{
	struct displacement_task *t = l->task, *end = t + l->count;

	while (t < end && strcmp(t->name, name) != 0)
		t++;
	if (t == end) {
		if (!(t = ARRAY_APPEND(l->task, l->count)))
			return -1;
		t->cpu = cpu;
		strncpy(t->name, name, sizeof(t->name) - 1);
		t->softirq = !strncmp(name, "ksoftirqd/", 10);
	}
	t->seconds += seconds;
	t->tasks += tasks;
	t->cpu = t->cpu == cpu ? cpu : -1;
	return 0;
}

/* A task that ran outside of the set is ignored. */
static bool counts(const struct displacement *d, const struct task *t)
{
	return t->used_ns && !t->program && t->pid != getpid() &&
	       (t->cpu < 0 || CPU_ISSET(t->cpu, &d->options.cpus));
}

ARRAY_COMPARE(longest_first, struct displacement_task, ARRAY_ORDER(b->seconds, a->seconds))

void displacement_tasks_sort(struct displacement_tasks *l)
{
	ARRAY_SORT(l->task, l->count, longest_first);
}

int displacement_others(struct displacement *d)
{
	int failed = 0;

	free(d->others.task);
	d->others = (struct displacement_tasks){0};
	d->other_ended = d->living = 0;
	d->softirqd = displacement_sample_softirqd(d);
	for (const struct task *t = d->tasks.task; t < d->tasks.task + d->tasks.count; t++) {
		if (t->program)
			d->living += (double)t->used_ns / 1e9;
		if (counts(d, t))
			failed |= displacement_tasks_add(&d->others, t->name,
							 (double)t->used_ns / 1e9, t->cpu, 1);
	}
	for (size_t i = 0; i < d->cpus; i++)
		d->other_on[i] = (double)d->tasks.on_ns[fluid_cpu(d->fluid, i)] / 1e9;
	for (const struct displacement_task *e = d->ended.task; e < d->ended.task + d->ended.count;
	     e++) {
		d->other_ended += e->seconds;
		failed |= displacement_tasks_add(&d->others, e->name, e->seconds, -1, e->tasks);
	}
	displacement_tasks_sort(&d->others);
	return failed;
}
