// SPDX-License-Identifier: GPL-3.0-or-later
/* The maker holds the writing end of a pipe and never writes: the reader learns of its end as the
 * kernel closes it. The child is a copy of a process with threads, so it makes system calls only.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/displacement/fluid/fluid_group.h"

#define TRIES	6000 /* a minute: on busy CPUs, killed threads of the lowest priority end late */
#define WAIT_NS 10000000

static struct {
	pid_t pid;
	int held;
	char inside[sizeof(((struct fluid_group *)0)->path) + 8]; /* the folder's tasks */
	char above[sizeof(((struct fluid_group *)0)->path) + 16]; /* those of the one above */
} keeper;

/* Only an empty group can be removed. The kernel takes one number a write. */
static void move_out(void)
{
	static char text[32 * 1024];
	int from = open(keeper.inside, O_RDONLY | O_CLOEXEC),
	    to = open(keeper.above, O_WRONLY | O_CLOEXEC);
	ssize_t length = from < 0 ? 0 : read(from, text, sizeof(text)), begin = 0;

	for (ssize_t i = 0; to >= 0 && i < length; i++)
		if (text[i] == '\n') {
			/* a thread that just ends cannot be moved */
			if (write(to, text + begin, (size_t)(i - begin)) < 0)
				errno = 0;
			begin = i + 1;
		}
	close(from);
	close(to);
}

static void close_all_but(unsigned int fd)
{
	if (fd)
		syscall(SYS_close_range, 0u, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

static _Noreturn void keep(const char *folder, int end)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	char nothing;

	prctl(PR_SET_NAME, "scprof-keeper");
	setsid();
	close_all_but((unsigned int)end);
	while (read(end, &nothing, 1) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < TRIES; i++) {
		move_out();
		if (!rmdir(folder) || errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

void fluid_keeper_begin(const struct fluid_group *g)
{
	sigset_t all, before;
	int ends[2];

	if (keeper.pid || pipe2(ends, O_CLOEXEC))
		return;
	snprintf(keeper.inside, sizeof(keeper.inside), "%s/tasks", g->path);
	snprintf(keeper.above, sizeof(keeper.above), "%s/../tasks", g->path);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	keeper.pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	if (!keeper.pid)
		keep(g->path, ends[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	keeper.held = ends[1];
	if (keeper.pid > 0)
		return;
	close(keeper.held);
	keeper.pid = 0;
}

void fluid_keeper_end(void)
{
	if (!keeper.pid)
		return;
	close(keeper.held);
	while (waitpid(keeper.pid, NULL, __WALL) < 0 && errno == EINTR)
		continue;
	keeper.pid = 0;
}
