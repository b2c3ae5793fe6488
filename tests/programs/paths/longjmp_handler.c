// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a handler may longjmp out of any instruction of a wrapped call, 3000
 * times, and later calls are still recorded.
 *
 * With "busy" the handler makes a call of its own before it jumps. */
#include "target.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#define JUMPS 3000

static sigjmp_buf back;
static int busy, other[2];
static volatile long jumps, attempted, returned;

static void on_timer(int sig)
{
	char c = 'h';

	(void)sig;
	if (jumps >= JUMPS)
		return;
	jumps++;
	if (busy) {
		attempted++;
		send(other[0], &c, 1, MSG_DONTWAIT);
		returned++;
		syscall(SYS_recvfrom, other[1], &c, 1, MSG_DONTWAIT, NULL, NULL);
	}
	siglongjmp(back, 1);
}

static void make_calls(const int fd[2])
{
	char c = 'x';

	while (jumps < JUMPS) {
		attempted++;
		send(fd[0], &c, 1, MSG_DONTWAIT);
		returned++;
		syscall(SYS_recvfrom, fd[1], &c, 1, MSG_DONTWAIT, NULL, NULL);
	}
}

int main(int argc, char **argv)
{
	struct itimerval often = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_timer};
	sigset_t timer;
	int fd[2];
	char c;

	busy = argc > 1 && !strcmp(argv[1], "busy");
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) < 0 ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, other) < 0)
		die("socketpair");
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	/* The mask is not the jump's to change: on a busy machine the next signal would come in the
	 * handler, again and again, until there is no stack. */
	sigsetjmp(back, 0);
	if (jumps == 0) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	sigprocmask(SIG_UNBLOCK, &timer, NULL);
	make_calls(fd);
	setitimer(ITIMER_REAL, &off, NULL);
	/* Jumps between send and recv left datagrams behind. */
	while (syscall(SYS_recvfrom, fd[1], &c, 1, MSG_DONTWAIT, NULL, NULL) == 1)
		;
	exchange_times(fd, 1000);
	say("%ld jumps\n", jumps);
	expect_between("send", returned + 1000, attempted + 1000, busy ? JUMPS : 0);
	return 0;
}
