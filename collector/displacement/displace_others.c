// SPDX-License-Identifier: GPL-3.0-or-later
/* Which other tasks ran during the run, by name: from the samples of all processes, and from the
 * ends of short-lived ones. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/displacement/displace_private.h"

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

/* A task that ran outside the set does not count. */
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
