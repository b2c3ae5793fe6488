// SPDX-License-Identifier: GPL-3.0-or-later
/* One thread exchanges messages. The other says the process's number, and at a line of standard
 * input the one of a child that it forks, which exchanges messages until standard input ends. */
#include "target.h"

#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

static void *exchange_for_ever(void *unused)
{
	int pair[2];

	make_pair(pair);
	for (;; usleep(1000))
		exchange(pair);
	return unused;
}

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	pthread_t thread;
	char line[16];
	int pair[2], status;

	if (pthread_create(&thread, NULL, exchange_for_ever, NULL) != 0)
		die("pthread_create");
	say("%d\n", (int)getpid());
	if (syscall(SYS_read, 0, line, sizeof(line)) <= 0)
		return 1;
	pid_t child = fork();
	if (child == 0) {
		say("%d\n", (int)getpid());
		make_pair(pair);
		for (; !(input.revents & POLLHUP);
		     syscall(SYS_ppoll, &input, 1, &(long[2]){0, 1000000}, NULL, 8))
			exchange(pair);
		_exit(3);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
