// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel's taskstats of every task that ends, which make an account whole: processes that live
 * for a millisecond are in no other list. They need CAP_NET_ADMIN in the first user namespace
 * (root). */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct taskstats_task {
	pid_t thread, process, parent; /* process: 0 before Linux 5.16 */
	char name[32];
	uint64_t run_ns; /* cpu_run_virtual_total: what getrusage knows, in ns */
};

struct taskstats_socket {
	int fd;
	uint16_t family;
	uint64_t missed; /* times that the kernel found no room for an end */
	char why[160];	 /* it is not available; "" if it is */
};

/* From now on the kernel keeps ends of tasks for us: of those that end on these CPUs. 0; -1: `why`
 * is set. Close it either way. */
int taskstats_open(struct taskstats_socket *s, const cpu_set_t *cpus);

/* The next end. false: none waits. Never blocks. */
bool taskstats_next(struct taskstats_socket *s, struct taskstats_task *task);

void taskstats_close(struct taskstats_socket *s);

/* The perf software counter `task-clock` of a process and all that it starts, by CPU, driven by
 * ioctl.
 *
 * It counts the time for which the processes were on a CPU by the wall clock: unlike getrusage it
 * includes what the host of a virtual machine stole from them meanwhile, and interrupt time even
 * where the kernel accounts that apart; and it lacks the kernel's part of switching to and from
 * other tasks, which getrusage has. It needs no privilege below perf_event_paranoid 3. */
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
