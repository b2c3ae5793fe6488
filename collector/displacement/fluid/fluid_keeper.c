// SPDX-License-Identifier: GPL-3.0-or-later
/* The maker holds the writing end of a pipe and never writes: the reader learns of its end as the
 * kernel closes it. The child is a copy of a process with threads, so it makes system calls only.
 */
#include "collector/displacement/fluid/fluid_keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/displacement/fluid/fluid_guard.h"

#define TRIES	6000 /* a minute: on busy CPUs, killed threads of the lowest priority end late */
#define WAIT_NS 10000000

static struct {
	pid_t pid;
	int held;
} keeper;

static void close_all_but(unsigned int fd)
{
	if (fd)
		syscall(SYS_close_range, 0u, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

static _Noreturn void keep(int end)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	char nothing;

	prctl(PR_SET_NAME, "scprof-keeper");
	setsid();
	close_all_but((unsigned int)end);
	while (read(end, &nothing, 1) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < TRIES && fluid_guard_remove() && errno == EBUSY; i++)
		nanosleep(&pause, NULL);
	_exit(0);
}

void fluid_keeper_begin(void)
{
	sigset_t all, before;
	int ends[2];

	if (keeper.pid || pipe2(ends, O_CLOEXEC))
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	keeper.pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	if (!keeper.pid)
		keep(ends[0]);
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
