// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a child made by the bare system call, past the C library and its
 * handlers, goes on making calls and does not disturb its parent's profile. */
#include "target.h"

#include <signal.h>
#include <sys/wait.h>

static pid_t fork_by_system_call(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

int main(void)
{
	int pair[2], own[2], status;
	pid_t child;

	make_pair(pair);
	make_pair(own);
	exchange_times(pair, 100);
	child = fork_by_system_call();
	if (child < 0)
		die("fork");
	exchange_times(child ? pair : own, child ? 2000 : 3000);
	for (int depth = 0; depth < 40; depth++)
		exchange_below(child ? pair : own, depth);
	if (child == 0)
		_exit(3);
	waitpid(child, &status, 0);
	say("child: %d\n", WEXITSTATUS(status));
	exchange_times(pair, 10);
	expect_exchanges(100 + 2000 + 3000 + 80 + 10);
	return 0;
}
