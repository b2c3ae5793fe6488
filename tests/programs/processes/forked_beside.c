// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: in a child that a thread with recorded calls forked, another thread may make the first
 * recorded call, and the one that forked goes on. */
#include "target.h"

#include <pthread.h>
#include <sys/wait.h>

static int fd[2];

static void *trade(void *count)
{
	char c = 'x';

	for (int i = 0; i < *(int *)count; i++) {
		send(fd[0], &c, 1, 0);
		recv(fd[1], &c, 1, 0);
	}
	return NULL;
}

static void *fork_beside(void *unused)
{
	int few = 3, many = 100, status;
	pthread_t other;
	pid_t pid;

	(void)unused;
	trade(&many);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		if (pthread_create(&other, NULL, trade, &few) != 0)
			die("pthread_create");
		pthread_join(other, NULL);
		trade(&many);
		pthread_exit(NULL); /* the last thread: the child ends with status 0 */
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	say("the child's status: %d\n", status);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		die("socketpair");
	if (pthread_create(&thread, NULL, fork_beside, NULL) != 0)
		die("pthread_create");
	pthread_join(thread, NULL);
	return 0;
}
