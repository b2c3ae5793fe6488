// SPDX-License-Identifier: GPL-3.0-or-later
/* Records one run of the program from its start to its end. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/displacement_private.h"
#include "profile/base/kernel_file.h"
#include "collector/machine/cpus.h"
#include "profile/base/array.h"
#include "collector/displacement/fluid/fluid_private.h"
#include "profile/base/error.h"

#define LOOK_NS	    UINT64_C(200000000)
#define LOOK_FACTOR 200 /* looking takes at most 1 / LOOK_FACTOR of the time */

static void note_progress(struct displacement *d, uint64_t at, uint64_t ns)
{
	(void)ARRAY_PUT(d->progress, d->progresses, (struct progress){at, ns});
}

int displacement_run_begin(struct displacement *d, bool task_clock, struct profile_error *err)
{
	displacement_sample_ends(d);
	free(d->ended.task);
	d->ended = (struct displacement_tasks){0};
	d->progresses = 0;
	memset(d->child, 0, MOST_PIDS / 8);
	d->children_ns = 0;
	d->ends.missed = 0;
	d->pid = 0;
	d->warnings = d->standing;
	d->has_children = false;
	d->accounting = (struct displacement_accounting){0};
	d->task_clock = task_clock;
	task_clock_close(&d->clock);
	d->clock = (struct task_clock){.why = "closed"};
	if (tasks_look(&d->tasks))
		return error_set(err, "/proc cannot be read: %s", strerror(errno));
	tasks_mark(&d->tasks);
	displacement_sample_own(d);
	for (size_t i = 0; i < d->cpus; i++)
		d->own[i] = 0;
	d->own_from_ns = displacement_sample_own_ns(d);
	d->throttled = quota_throttled();
	/* without the counter, the program is known by its processes: find them soon */
	d->next_look = clocks_read_ns(CLOCK_MONOTONIC) + (task_clock ? LOOK_NS : 0);
	displacement_switch_count(d->woken_from);
	displacement_windows_begin(d);
	return 0;
}

void displacement_run_born(void *displace, pid_t pid)
{
	struct displacement *d = displace;

	d->pid = pid;
	d->tasks.command = pid;
	displacement_sample_child(d, pid);
	if (sched_setaffinity(pid, sizeof(d->options.cpus), &d->options.cpus))
		d->warnings |= DISPLACEMENT_MOVED;
	if (d->task_clock)
		task_clock_open(&d->clock, pid, &d->options.cpus);
	else
		d->clock = (struct task_clock){.why = "left out: it costs a program that switches "
						      "often some of its CPU time"};
	note_progress(d, counter_read_ordered(), 0);
}

static void look(struct displacement *d)
{
	uint64_t begin = clocks_read_ns(CLOCK_MONOTONIC), took;
	cpu_set_t now, both;

	tasks_look(&d->tasks);
	took = clocks_read_ns(CLOCK_MONOTONIC) - begin;
	d->next_look = begin + (took * LOOK_FACTOR > LOOK_NS ? took * LOOK_FACTOR : LOOK_NS);
	if (!sched_getaffinity(d->pid, sizeof(now), &now)) {
		CPU_AND(&both, &now, &d->options.cpus);
		if (!CPU_EQUAL(&both, &now))
			d->warnings |= DISPLACEMENT_MOVED;
	}
	for (size_t i = 0; !d->fluid->apart && i < d->tasks.count; i++)
		if (!(d->warnings & DISPLACEMENT_GROUP) && d->tasks.task[i].program &&
		    !d->tasks.task[i].gone && fluid_group_differs(d->tasks.task[i].pid))
			d->warnings |= DISPLACEMENT_GROUP;
}

static void tell(const struct displacement *d)
{
	if (d->options.sample)
		d->options.sample(d->options.context, displacement_now());
}

void displacement_run_tick(void *displace)
{
	struct displacement *d = displace;
	uint64_t ns = task_clock_all(&d->clock);

	displacement_sample_own(d);
	displacement_sample_ends(d);
	if (clocks_read_ns(CLOCK_MONOTONIC) >= d->next_look)
		look(d);
	note_progress(d, counter_read_ordered(),
		      ns != UINT64_MAX ? ns : tasks_program_ns(&d->tasks));
	tell(d);
}

static void ask_task_clock(struct displacement *d)
{
	struct displacement_accounting *a = &d->accounting;
	uint64_t ns = task_clock_all(&d->clock);
	double inside = 0;

	a->task_clock = a->task_clock_outside = NAN;
	memset(d->clock_on, 0, d->cpus * sizeof(*d->clock_on));
	if (ns == UINT64_MAX) {
		snprintf(a->task_clock_why, sizeof(a->task_clock_why), "%s", d->clock.why);
		return;
	}
	a->task_clock = (double)ns / 1e9;
	for (size_t i = 0; i < d->cpus; i++) {
		ns = task_clock_on(&d->clock, i);
		d->clock_on[i] = ns == UINT64_MAX ? 0 : (double)ns / 1e9;
		inside += d->clock_on[i];
	}
	a->task_clock_outside = fmax(0, a->task_clock - inside);
	if (a->task_clock_outside > 1e-3 + 1e-3 * a->task_clock)
		d->warnings |= DISPLACEMENT_MOVED;
}

void displacement_run_ended(void *displace, pid_t pid)
{
	struct displacement *d = displace;
	struct displacement_accounting *a = &d->accounting;
	char text[96];

	displacement_windows_end(d);
	displacement_switch_since(d, d->woken);
	ask_task_clock(d);
	/* the first thread of a process that has not been reaped */
	errno = 0;
	a->schedstat = NAN;
	if (!kernel_file_text(text, sizeof(text), "/proc/%d/schedstat", (int)pid))
		a->schedstat = (double)strtoull(text, NULL, 10) / 1e9;
	else
		snprintf(a->schedstat_why, sizeof(a->schedstat_why), "/proc/PID/schedstat: %s",
			 errno ? strerror(errno) : "empty");
	displacement_sample_own(d);
	d->own_all = (double)(displacement_sample_own_ns(d) - d->own_from_ns) / 1e9;
	tasks_look(&d->tasks);
	displacement_sample_ends(d);
	tell(d);
}

static void take_taskstats(struct displacement *d)
{
	struct displacement_accounting *a = &d->accounting;

	displacement_sample_ends(d);
	a->taskstats = NAN;
	if (*d->ends.why)
		snprintf(a->taskstats_why, sizeof(a->taskstats_why), "%s", d->ends.why);
	else if (d->ends.missed)
		snprintf(a->taskstats_why, sizeof(a->taskstats_why),
			 "more tasks ended than the kernel kept for us");
	else if (!d->children_ns)
		snprintf(a->taskstats_why, sizeof(a->taskstats_why),
			 "the end of the command was not reported");
	else
		a->taskstats = (double)d->children_ns / 1e9;
	a->schedstat_partial = d->has_children;
}

int displacement_run_end(struct displacement *d, const struct rusage *usage,
			 struct profile_error *err)
{
	struct displacement_accounting *a = &d->accounting;

	a->rusage_user = (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6;
	a->rusage_system = (double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6;
	a->rusage = a->rusage_user + a->rusage_system;
	d->preempted = (double)usage->ru_nivcsw;
	note_progress(d, d->to,
		      *d->clock.why ? (uint64_t)(a->rusage * 1e9) : task_clock_all(&d->clock));
	take_taskstats(d);
	if (quota_throttled() > d->throttled)
		d->warnings |= DISPLACEMENT_THROTTLED;
	d->tasks.command = 0;
	usleep(DISPLACEMENT_LINGER_US);
	if (displacement_others(d))
		return error_set(err, "out of memory");
	return 0;
}
