// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a handler that leaves by longjmp every 150 us, mostly out of the first call
 * on a path, does not keep new paths from being recorded. */
#include "target.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#define ROUNDS 40000u
#define DEPTH  10

static sigjmp_buf back;
static int fd[2];
static volatile unsigned rounds, jumps;

static void on_timer(int sig)
{
	(void)sig;
	jumps++;
	siglongjmp(back, 1);
}

/* Four call sites a level: the digits of `turns` are the path. */
NOINLINE static void descend(unsigned turns, int depth)
{
	char c = 'x';

	if (depth == 0) {
		send(fd[0], &c, 1, MSG_DONTWAIT);
		recv(fd[1], &c, 1, MSG_DONTWAIT);
	} else if ((turns & 3) == 0) {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 0" ::: "memory");
	} else if ((turns & 3) == 1) {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 1" ::: "memory");
	} else if ((turns & 3) == 2) {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 2" ::: "memory");
	} else {
		descend(turns >> 2, depth - 1);
		__asm__ volatile("# 3" ::: "memory");
	}
}

int main(void)
{
	struct itimerval often = {{0, 150}, {0, 150}}, off = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_timer};

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) < 0)
		die("socketpair");
	sigaction(SIGALRM, &action, NULL);
	sigsetjmp(back, 1);
	if (jumps == 0)
		setitimer(ITIMER_REAL, &often, NULL);
	while (rounds < ROUNDS) {
		rounds++;
		descend(rounds * 2654435761u, DEPTH);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	say("%u rounds\n", rounds);
	return 0;
}
