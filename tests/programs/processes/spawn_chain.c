// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: children by fork, vfork, posix_spawn, system and exec end with their
 * own status, and every one of them has a profile with all of its calls. */
#include "target.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

/* A process started by name: makes `calls` exchanges, ends with status 7. */
static int leaf(const char *calls)
{
	int pair[2];

	make_pair(pair);
	exchange_times(pair, atol(calls));
	return 7;
}

/* Replaces itself `left` times, with ten exchanges before each time. */
static int chain(const char *self, int left)
{
	char text[16];
	int pair[2];

	make_pair(pair);
	exchange_times(pair, 10);
	if (left == 0)
		return 5;
	snprintf(text, sizeof text, "%d", left - 1);
	execl(self, self, "chain", text, NULL);
	return 98;
}

static void await(pid_t child, const char *what)
{
	int status = -1;

	if (child < 0)
		die(what);
	waitpid(child, &status, 0);
	say("%s: status %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -status);
}

static pid_t start_vfork(const char *self, const char *mode, const char *argument)
{
	pid_t child = vfork();

	if (child == 0) {
		execl(self, self, mode, argument, NULL);
		_exit(98);
	}
	return child;
}

static pid_t start_spawn(const char *self)
{
	char *arguments[] = {(char *)self, "leaf", "20", NULL};
	pid_t child;

	return posix_spawn(&child, self, NULL, NULL, arguments, environ) ? -1 : child;
}

static pid_t start_fork(const int pair[2])
{
	pid_t child = fork();

	if (child == 0) {
		exchange_times(pair, 30);
		_exit(9);
	}
	return child;
}

/* fork in a child of a fork, which ends by return from main's level. */
static pid_t start_nested(void)
{
	pid_t child = fork(), grandchild;
	int pair[2], status;

	if (child)
		return child;
	make_pair(pair);
	exchange_times(pair, 40);
	grandchild = fork();
	exchange_times(pair, 50);
	if (grandchild == 0)
		exit(0);
	waitpid(grandchild, &status, 0);
	exit(status == 0 ? 11 : 12);
}

static pid_t start_failing_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/nonexistent/program", "program", NULL);
		_exit(127);
	}
	return child;
}

int main(int argc, char **argv)
{
	char command[600];
	int pair[2];

	if (argc == 3 && !strcmp(argv[1], "leaf"))
		return leaf(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "chain"))
		return chain(argv[0], atoi(argv[2]));
	make_pair(pair);
	for (int i = 0; i < 3; i++) {
		exchange_times(pair, 100);
		await(start_vfork(argv[0], "leaf", "10"), "vfork and exec");
		await(start_spawn(argv[0]), "posix_spawn");
		await(start_fork(pair), "fork");
		await(start_nested(), "fork twice");
		await(start_failing_vfork(), "vfork and failing exec");
		await(start_vfork(argv[0], "chain", "3"), "chain of execs");
		snprintf(command, sizeof command, "'%s' leaf 1", argv[0]);
		say("system: %d\n", WEXITSTATUS(system(command)));
	}
	exchange_times(pair, 5);
	/* 100 own, 10 + 20 + 30 + (40 + 50 + 50) + 40 + 1 of the children */
	expect_exchanges(3 * (100 + 10 + 20 + 30 + 140 + 40 + 1) + 5);
	return 0;
}
