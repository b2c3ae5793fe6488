// SPDX-License-Identifier: GPL-3.0-or-later
/* One inherited counter a CPU and one over all: the difference is what ran outside the
 * set. The kernel adds living children's counts when asked and ended ones' when they end,
 * waited for or not. */
#include "collector/machine/task_clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_one(pid_t pid, int cpu)
{
	/* Unprivileged users may count user space only; this counter makes no difference. */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int give_up(struct task_clock *c, const char *what)
{
	snprintf(c->why, sizeof(c->why), "%s: %s%s", what, strerror(errno),
		 errno == EACCES || errno == EPERM
			 ? " (kernel.perf_event_paranoid above 2, or a sandbox)"
			 : "");
	return -1;
}

int task_clock_open(struct task_clock *c, pid_t pid, const cpu_set_t *set)
{
	size_t count = (size_t)CPU_COUNT(set);
	int cpu = -1;

	*c = (struct task_clock){.fd = calloc(count + 1, sizeof(int))};
	if (!c->fd)
		return give_up(c, "out of memory");
	for (size_t i = 0; i <= count; i++) {
		do
			cpu++;
		while (i < count && !CPU_ISSET(cpu, set));
		int fd = open_one(pid, i < count ? cpu : -1);

		if (fd < 0)
			return give_up(c, "perf_event_open");
		c->fd[c->cpus++] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_RESET, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return give_up(c, "PERF_EVENT_IOC_ENABLE");
	}
	c->cpus = count;
	return 0;
}

static uint64_t count(int fd)
{
	uint64_t ns;

	return read(fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? ns : UINT64_MAX;
}

uint64_t task_clock_all(const struct task_clock *c)
{
	return *c->why ? UINT64_MAX : count(c->fd[c->cpus]);
}

uint64_t task_clock_on(const struct task_clock *c, size_t i)
{
	return *c->why ? UINT64_MAX : count(c->fd[i]);
}

void task_clock_close(struct task_clock *c)
{
	size_t open = *c->why ? c->cpus : c->cpus + 1;

	for (size_t i = 0; c->fd && i < open; i++)
		close(c->fd[i]);
	free(c->fd);
	c->fd = NULL;
	c->cpus = 0;
	if (!*c->why)
		snprintf(c->why, sizeof(c->why), "closed");
}
