// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a file is not read, written or closed that the program is given after all descriptors were
 * closed, the library's too. A child that shares them is stopped before each use of one of those,
 * once a child: then all are closed, and FILE takes the lowest number. */
#include "target.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *name;
static int given;

static void child(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		syscall(SYS_exit_group, 98);
	syscall(SYS_kill, syscall(SYS_getpid), SIGSTOP);
	poll(NULL, 0, 0);
	syscall(SYS_exit_group, 0);
}

static int is_use(pid_t pid)
{
	struct __ptrace_syscall_info i;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(i), &i) <= 0 ||
	    i.op != 1 /* PTRACE_SYSCALL_INFO_ENTRY */)
		return 0;
	switch (i.entry.nr) {
	case SYS_mmap:
		return (int)i.entry.args[4] > 2;
	case SYS_read:
	case SYS_pwrite64:
	case SYS_fstat:
	case SYS_fstatfs:
	case SYS_ftruncate:
	case SYS_fallocate:
		return i.entry.args[0] > 2;
	default:
		return 0;
	}
}

static void take_place(void)
{
	syscall(SYS_close_range, 3u, ~0u, 0u);
	given = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR);
	if (given != 3)
		die("open");
}

/* Before the use of that number. 0: there are not so many. */
static int run(int number)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	int status, uses = 0;

	if (pid == 0)
		child();
	while (syscall(SYS_wait4, pid, &status, 0, NULL) == pid && WIFSTOPPED(status)) {
		ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
		uses += is_use(pid);
		if (uses == number) {
			take_place();
			number = -1;
		}
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	}
	if (WEXITSTATUS(status) == 98) /* no process can be traced */
		return 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("the child ends otherwise");
	return number == -1;
}

int main(int argc, char **argv)
{
	static char text[100000], now[sizeof(text) + 1];
	int number = 1;

	name = argv[argc - 1];
	memset(text, 'x', sizeof(text));
	syscall(SYS_close_range, 3u, ~0u, 0u);
	while (run(number)) {
		if (syscall(SYS_lseek, given, 0, SEEK_CUR) != 0)
			die("a descriptor was read, or closed");
		if (syscall(SYS_pread64, given, now, sizeof(now), 0) != sizeof(text) ||
		    memcmp(text, now, sizeof(text)) != 0)
			die("a file was written");
		number++;
	}
	say("%s\n", number > 20 ? "many uses" : "no use, or none can be traced");
	return 0;
}
