// SPDX-License-Identifier: GPL-3.0-or-later
/* perf's task-clock of this process and what it starts from now on: the time on a CPU by the wall
 * clock, from the moment that a task runs, where getrusage counts from its wake-up. It costs a
 * program that switches often some of its CPU time, so it is there on demand only. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "put.h"

int put_clock_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.inherit = 1,
		.exclude_kernel = 1, /* all that is allowed to everybody; makes no difference */
		.exclude_hv = 1,
	};
	int clock = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (clock < 0)
		fprintf(stderr, "put: perf's task-clock cannot be opened: %s\n", strerror(errno));
	return clock;
}

double put_clock_seconds(int clock)
{
	uint64_t ns;

	if (clock < 0)
		return NAN;
	if (read(clock, &ns, sizeof(ns)) != (ssize_t)sizeof(ns))
		put_fail("perf's task-clock cannot be read: %s", strerror(errno));
	return (double)ns / 1e9;
}
