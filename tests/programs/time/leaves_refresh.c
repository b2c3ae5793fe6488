// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a handler that leaves by longjmp while the library reads clocks for the profile's header
 * keeps it from nothing later: the profile's wall time has all that was slept.
 *
 * Signals come where the clock is read, at the reading whose number the argument is: clock_gettime
 * is ours. */
#include "target.h"

#include <setjmp.h>
#include <signal.h>
#include <time.h>

#define PAUSE_US    150000u /* so long after the header is old */
#define FIRST_CALLS 1000
#define MOST_CALLS  100000

static int fd[2];
static sigjmp_buf back;
static volatile long counted, wanted; /* readings; 0: none is counted */

static void leave(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, id, t);

	if (wanted && id == CLOCK_MONOTONIC_RAW && ++counted == wanted) {
		wanted = 0;
		raise(SIGUSR1);
	}
	return r;
}

/* Until a handler has left. */
static void call_until_left(long reading)
{
	if (sigsetjmp(back, 1)) {
		say("left\n");
		return;
	}
	wanted = reading;
	exchange_times(fd, MOST_CALLS);
	die("no such reading");
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = leave};

	if (argc < 2 || sigaction(SIGUSR1, &action, NULL) < 0)
		die("sigaction");
	make_pair(fd);
	exchange_times(fd, FIRST_CALLS);
	usleep(PAUSE_US);
	call_until_left(atol(argv[1]));
	usleep(PAUSE_US);
	return 0;
}
