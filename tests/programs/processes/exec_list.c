// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: execl, execlp and execle hand over their lists as they are, also an
 * empty one, and a failed exec returns as it does without us. */
#include "target.h"

#include <errno.h>
#include <sys/wait.h>

static void run(int how)
{
	char *environment[] = {"ONLY=this", NULL};
	if (how == 0)
		execl("/bin/echo", "echo", "one", "two", (char *)NULL);
	if (how == 1)
		execlp("echo", "echo", "three", (char *)NULL);
	if (how == 2)
		execle("/usr/bin/env", "env", (char *)NULL, environment);
	if (how == 3)
		execl("/nonexistent", "nonexistent", "x", (char *)NULL);
	printf("failed: %d\n", errno);
	fflush(stdout);
	_exit(3);
}

int main(void)
{
	for (int how = 0; how < 4; how++) {
		int status = 0;
		fflush(stdout);
		pid_t child = fork();
		if (child == 0)
			run(how);
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 99;
		printf("%d: status %d\n", how, status);
	}
	return 0;
}
