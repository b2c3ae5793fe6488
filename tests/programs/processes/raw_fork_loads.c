// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a child made by the bare system call, which makes no call that is recorded, loads a
 * library, and leaves by exit, writes nothing into its parent's profile. */
#include "target.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>

int main(void)
{
	int pair[2], status;
	pid_t child;

	make_pair(pair);
	exchange_times(pair, 10);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child < 0)
		die("fork");
	if (child == 0)
		exit(dlopen("libz.so.1", RTLD_NOW) ? 3 : 4);
	waitpid(child, &status, 0);
	say("child: %d\n", WEXITSTATUS(status));
	return 0;
}
