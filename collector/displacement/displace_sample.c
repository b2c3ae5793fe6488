// SPDX-License-Identifier: GPL-3.0-or-later
/* What is sampled while the fluid runs: the CPU time of the measurement itself, and tasks that end.
 */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/displace_private.h"

static bool is_fluid(const struct displace *d, pid_t tid)
{
	for (size_t i = 0; i < d->cpus; i++)
		if (fluid_thread(d->fluid, i) == tid)
			return true;
	return false;
}

/* Thread by thread: the clock of a whole process is as old as the last tick for threads
 * that run elsewhere, as fluids always do. */
uint64_t displace_sample_own_ns(const struct displace *d)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;
	uint64_t sum = 0;

	while (threads && (entry = readdir(threads))) {
		pid_t tid = atoi(entry->d_name);

		if (tid > 0 && !is_fluid(d, tid))
			sum += fluid_thread_clock_ns(tid);
	}
	if (threads)
		closedir(threads);
	return sum;
}

void displace_sample_own(struct displace *d)
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
static bool is_child(const struct displace *d, pid_t pid)
{
	return pid > 0 && pid < MOST_PIDS && (d->child[pid / 8] >> pid % 8 & 1);
}

void displace_sample_child(struct displace *d, pid_t pid)
{
	if (pid > 0 && pid < MOST_PIDS)
		d->child[pid / 8] |= (unsigned char)(1u << pid % 8);
}

static void add_ended(struct displace *d, const char *name, uint64_t ns)
{
	struct ended *more;

	for (size_t i = 0; i < d->ended_count; i++)
		if (!strcmp(d->ended[i].name, name)) {
			d->ended[i].ns += ns;
			d->ended[i].tasks++;
			return;
		}
	more = realloc(d->ended, (d->ended_count + 1) * sizeof(*more));
	if (!more)
		return;
	d->ended = more;
	more[d->ended_count] = (struct ended){.ns = ns, .tasks = 1};
	memcpy(more[d->ended_count++].name, name, sizeof(more->name));
}

static void take_end(struct displace *d, const struct taskstats_task *t)
{
	pid_t process = t->process ? t->process : t->thread;
	const struct task *known;

	if (d->pid && (process == d->pid || is_child(d, process) || is_child(d, t->parent))) {
		displace_sample_child(d, process);
		d->has_children |= t->thread != d->pid;
		d->children_ns += t->run_ns;
		return;
	}
	known = tasks_find(&d->tasks, process);
	if (!known || known->gone)
		add_ended(d, t->name, t->run_ns);
	else if (t->thread == process && t->run_ns > known->last_ns)
		/* since the last look at it, which will not see it again */
		add_ended(d, t->name, t->run_ns - known->last_ns);
}

void displace_sample_ends(struct displace *d)
{
	struct taskstats_task t;

	while (taskstats_next(&d->ends, &t))
		take_end(d, &t);
}

static bool is_softirqd(const struct task *t)
{
	return t->kernel && !strncmp(t->name, "ksoftirqd/", 10);
}

double displace_sample_softirqd(const struct displace *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->tasks.count; i++) {
		const struct task *t = &d->tasks.task[i];

		if (is_softirqd(t) && t->cpu >= 0 && t->cpu < CPU_SETSIZE &&
		    CPU_ISSET(t->cpu, &d->options.cpus))
			sum += (double)t->used_ns / 1e9;
	}
	return sum;
}

/* Which other tasks ran during the run, by name: from the samples of all processes, and from the
 * ends of short-lived ones. */

static struct displace_task *by_name(struct displace *d, const char *name)
{
	struct displace_task *more;

	for (size_t i = 0; i < d->others; i++)
		if (!strcmp(d->other[i].name, name))
			return &d->other[i];
	more = realloc(d->other, (d->others + 1) * sizeof(*more));
	if (!more)
		return NULL;
	d->other = more;
	more[d->others] = (struct displace_task){.cpu = -2, .exact = true};
	strncpy(more[d->others].name, name, sizeof(more->name) - 1);
	return &more[d->others++];
}

static int add(struct displace *d, const char *name, double seconds, int cpu, uint32_t tasks)
{
	struct displace_task *t = by_name(d, name);

	if (!t)
		return -1;
	t->seconds += seconds;
	t->tasks += tasks;
	t->cpu = t->cpu == -2 || t->cpu == cpu ? cpu : -1;
	return 0;
}

/* A task that ran outside of the set is ignored. */
static bool counts(const struct displace *d, const struct task *t)
{
	return t->used_ns && !t->program && t->pid != getpid() &&
	       (t->cpu < 0 || CPU_ISSET(t->cpu, &d->options.cpus));
}

static int longest_first(const void *a, const void *b)
{
	double x = ((const struct displace_task *)a)->seconds,
	       y = ((const struct displace_task *)b)->seconds;

	return (x < y) - (x > y);
}

void displace_others_sort(struct displace_task *task, size_t tasks)
{
	if (tasks)
		qsort(task, tasks, sizeof(*task), longest_first);
}

int displace_others(struct displace *d)
{
	int failed = 0;

	free(d->other);
	d->other = NULL;
	d->others = 0;
	d->other_ended = d->living = 0;
	d->softirqd = displace_sample_softirqd(d);
	for (size_t i = 0; i < d->tasks.count; i++) {
		const struct task *t = &d->tasks.task[i];

		if (t->program)
			d->living += (double)t->used_ns / 1e9;
		if (counts(d, t))
			failed |= add(d, t->name, (double)t->used_ns / 1e9, t->cpu, 1);
	}
	for (size_t i = 0; i < d->cpus; i++)
		d->other_on[i] = (double)d->tasks.on_ns[fluid_cpu(d->fluid, i)] / 1e9;
	for (size_t i = 0; i < d->ended_count; i++) {
		const struct ended *e = &d->ended[i];

		d->other_ended += (double)e->ns / 1e9;
		failed |= add(d, e->name, (double)e->ns / 1e9, -1, e->tasks);
		if (!failed)
			by_name(d, e->name)->exact = false;
	}
	for (size_t i = 0; i < d->others; i++)
		d->other[i].softirq = !strncmp(d->other[i].name, "ksoftirqd/", 10);
	displace_others_sort(d->other, d->others);
	return failed;
}
