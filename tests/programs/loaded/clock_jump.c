// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded: CLOCK_MONOTONIC is an hour ahead from when the file $CLOCK_JUMP is there. So a test
 * says when a time limit is over, and not the machine. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	const char *file = getenv("CLOCK_JUMP");
	long failed = syscall(SYS_clock_gettime, clock, t);

	if (!failed && clock == CLOCK_MONOTONIC && file && !access(file, F_OK))
		t->tv_sec += 3600;
	return (int)failed;
}
