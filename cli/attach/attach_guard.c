// SPDX-License-Identifier: GPL-3.0-or-later
/* Whatever ends the tool closes its end of a pipe. The guard is in a session of its own, so that
 * what a terminal or a shell sends to the tool's process group does not reach it; and it has closed
 * all that the tool has open, among it the run's lock, by which others know that the tool lives. */
#include "cli/attach/attach_targets.h"
#include "collector/machine/kernel_numbers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST   4096 /* processes */
#define PIPE   3    /* its descriptor there */
#define DIGITS 12

static const pid_t all_is_well = 0;

static void keep_guard(int from, const char *page)
{
	static char number[MOST][DIGITS];
	static const char *arguments[MOST + 4] = {"scprof", "detach"};
	static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
	size_t count = 0, first = 2;
	sigset_t none;
	pid_t pid;

	setsid();
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		signal(ending[i], SIG_IGN); /* the others are held */
	if (dup2(from, PIPE) < 0 || syscall(SYS_close_range, PIPE + 1, ~0u, 0) < 0)
		return;
	for (int fd = 0; fd < PIPE; fd++) {
		close(fd);
		if (open("/dev/null", O_RDWR) != fd)
			return;
	}
	if (page)
		arguments[first++] = page;
	while (read(PIPE, &pid, sizeof(pid)) == (ssize_t)sizeof(pid)) {
		if (pid == all_is_well)
			return;
		if (count == MOST)
			continue;
		snprintf(number[count], DIGITS, "%d", (int)pid);
		arguments[first + count] = number[count];
		count++;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (page || count) /* by its own file, which the tool's name may not lead to any more */
		execv("/proc/self/exe", (char *const *)arguments);
}

void attach_guard_begin(struct attach_guard *g, const char *page)
{
	sigset_t all, before;
	int fd[2];

	*g = (struct attach_guard){.fd = -1};
	if (pipe2(fd, O_CLOEXEC))
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	g->pid = fork();
	if (!g->pid) {
		keep_guard(fd[0], page);
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fd[0]);
	g->fd = fd[1];
	if (g->pid < 0) {
		close(g->fd);
		g->fd = -1;
	}
}

void attach_guard_note(struct attach_guard *g, pid_t pid)
{
	if (g->fd >= 0 && write(g->fd, &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
		attach_guard_end(g);
}

void attach_guard_end(struct attach_guard *g)
{
	if (g->fd < 0)
		return;
	if (write(g->fd, &all_is_well, sizeof(all_is_well)) < 0)
		kill(g->pid, SIGKILL); /* it is gone, and is waited for below */
	close(g->fd);
	g->fd = -1;
	waitpid(g->pid, NULL, 0);
}
