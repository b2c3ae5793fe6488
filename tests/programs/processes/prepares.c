// SPDX-License-Identifier: GPL-3.0-or-later
/* Forked children, of which most soon execute another program:
 *
 * fails      closes, opens, leads elsewhere, allocates; its exec fails; it tells its parent and
 * ends; leaves     makes no other call than those, and ends; executes   the same, and becomes a
 * program without the library; writes     writes, and ends; receives   prepares as if for exec, and
 * then lives on; closes     makes so many of those calls that it has proven to live on; drops and
 * roams     live on without their rights, the second on many paths.
 *
 * Prints how each ended, and on standard error who it was. A handler in the child, as libuv has
 * one, writes at each fork. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int word[2], pair[2];

static void in_child(void)
{
	if (write(word[1], "*", 1) != 1)
		_exit(90);
}

static void prepare(void)
{
	static void *volatile kept;

	for (int i = 0; i < 3; i++) {
		int fd = open("/dev/null", O_RDWR);
		kept = malloc(100);
		dup2(fd, 40 + i);
		close(fd);
		free(kept);
	}
}

/* A filter that allows everything is one, too. */
static void confine(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = {1, &allow};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		_exit(95);
}

static void fail(void)
{
	char *argv[] = {(char *)"nothing", NULL};

	execv("/nonexistent/nothing", argv);
	int error = errno;
	if (write(word[1], &error, sizeof error) != sizeof error)
		_exit(91);
	_exit(127);
}

/* The digits of `turns` are the path: 4,096 are more than a megabyte. */
NOINLINE static void descend(unsigned turns, int depth)
{
	if (depth == 0)
		exchange(pair);
	else if (turns & 1) {
		descend(turns >> 1, depth - 1);
		__asm__ volatile("# 1" ::: "memory");
	} else {
		descend(turns >> 1, depth - 1);
		__asm__ volatile("# 0" ::: "memory");
	}
}

static void run(const char *how)
{
	static char *argv[] = {(char *)"true", NULL}, *none[] = {NULL};

	if (!strcmp(how, "writes")) {
		if (write(word[1], "w", 1) != 1)
			_exit(92);
		_exit(0);
	}
	prepare();
	if ((!strcmp(how, "drops") || !strcmp(how, "roams")) && (setgid(65534) || setuid(65534)))
		_exit(94);
	if (!strcmp(how, "confined"))
		confine();
	if (!strcmp(how, "drops") || !strcmp(how, "confined") || !strcmp(how, "receives"))
		exchange(pair);
	for (unsigned i = 0; i < 4096 && !strcmp(how, "roams"); i++)
		descend(i, 12);
	if (!strcmp(how, "fails"))
		fail();
	if (!strcmp(how, "executes"))
		execve("/bin/true", argv, none);
	for (int i = 0; i < 100 && !strcmp(how, "closes"); i++)
		close(500);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc < 2 || pipe(word) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ||
	    pthread_atfork(NULL, NULL, in_child) != 0)
		return 99;
	for (int i = 1; i < argc; i++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0)
			run(argv[i]);
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 99;
		printf("%s: status %d\n", argv[i], status);
		fprintf(stderr, "%d\n", (int)child);
	}
	return 0;
}
