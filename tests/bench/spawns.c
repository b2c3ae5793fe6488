// SPDX-License-Identifier: GPL-3.0-or-later
/* What starting a child costs: for each letter read, one child in that way, and the nanoseconds
 * until it has ended. f: fork and exec; v: vfork and exec; p: posix_spawn; x: fork, an exec that
 * fails, a word to the parent. The child executes /bin/true without environment: it is not recorded
 * itself. A child of fork closes, opens and leads elsewhere before, as shells and libraries do. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *arguments[] = {(char *)"true", NULL}, *none[] = {NULL};

static void become(const char *path, int tell)
{
	for (int i = 10; i < 13; i++) {
		int fd = open("/dev/null", O_RDWR);
		dup2(fd, i);
		close(fd);
	}
	execve(path, arguments, none);
	int error = errno;
	_exit(write(tell, &error, sizeof error) == sizeof error ? 127 : 126);
}

static pid_t start(char way)
{
	static int word[2];
	pid_t child;

	if (!word[1] && pipe2(word, O_NONBLOCK) != 0)
		exit(1);
	switch (way) {
	case 'p':
		return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, none) ? -1 : child;
	case 'v':
		child = vfork();
		if (child == 0) {
			execve("/bin/true", arguments, none);
			_exit(127);
		}
		return child;
	default:
		child = fork();
		if (child == 0)
			become(way == 'x' ? "/nonexistent" : "/bin/true", word[1]);
		return child;
	}
}

int main(void)
{
	int way;

	while ((way = getchar()) != EOF) {
		struct timespec began, ended;
		int status;

		if (way == '\n')
			continue;
		clock_gettime(CLOCK_MONOTONIC, &began);
		pid_t child = start((char)way);
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 1;
		clock_gettime(CLOCK_MONOTONIC, &ended);
		printf("%lld\n", (ended.tv_sec - began.tv_sec) * 1000000000LL + ended.tv_nsec -
					 began.tv_nsec);
		fflush(stdout);
	}
	return 0;
}
