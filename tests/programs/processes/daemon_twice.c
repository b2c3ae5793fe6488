// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a program that puts itself into the background twice goes on being
 * measured in every generation, and each generation ends as it would. */
#include "target.h"

#include <sys/wait.h>

static void work_in_background(int result)
{
	int pair[2];

	make_pair(pair);
	exchange_times(pair, 10);
	if (daemon(1, 0) < 0)
		die("daemon");
	exchange_times(pair, 100);
	if (daemon(0, 0) < 0)
		die("daemon again");
	exchange_times(pair, 1000);
	if (syscall(SYS_write, result, "done", 4) != 4)
		_exit(3);
	exit(0);
}

int main(void)
{
	int result[2], status;
	char text[5] = "";
	pid_t child;

	expect_exchanges(1110);
	if (pipe(result) < 0)
		die("pipe");
	child = fork();
	if (child == 0) {
		syscall(SYS_close, result[0]);
		work_in_background(result[1]);
	}
	syscall(SYS_close, result[1]);
	waitpid(child, &status, 0);
	say("the launcher ended with status %d\n", status);
	while (syscall(SYS_read, result[0], text, 4) < 0 && errno == EINTR)
		;
	say("the daemon says: %s\n", text);
	/* Its end of the pipe closes when it is gone for good. */
	say("then %ld\n", syscall(SYS_read, result[0], text, 4));
	return 0;
}
