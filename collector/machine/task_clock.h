// SPDX-License-Identifier: GPL-3.0-or-later
/* The perf software counter `task-clock` of a process and all that it starts, by CPU,
 * driven by ioctl.
 *
 * It counts the time for which the processes were on a CPU by the wall clock: unlike
 * getrusage it includes what the host of a virtual machine stole from them meanwhile, and
 * interrupt time even where the kernel accounts that apart; and it lacks the kernel's part of
 * switching to and from other tasks, which getrusage has. It needs no privilege below
 * perf_event_paranoid 3.
 */
#ifndef SCPROF_COLLECTOR_MACHINE_TASK_CLOCK_H
#define SCPROF_COLLECTOR_MACHINE_TASK_CLOCK_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct task_clock {
	size_t cpus;
	int *fd;       /* one a CPU of the set; fd[cpus]: all CPUs together */
	char why[160]; /* it is not available, or closed; "" if it is */
};

/* Opened and enabled for `pid`, before it starts anything. 0; -1: `why` is set. Either way
 * to be closed. */
int task_clock_open(struct task_clock *c, pid_t pid, const cpu_set_t *set);

/* Nanoseconds since then on all CPUs, those outside the set too; UINT64_MAX: unreadable. */
uint64_t task_clock_all(const struct task_clock *c);
uint64_t task_clock_on(const struct task_clock *c, size_t i);

void task_clock_close(struct task_clock *c);

#endif
