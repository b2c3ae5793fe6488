// SPDX-License-Identifier: GPL-3.0-or-later
/* A send that does nothing, found before libc's: what it costs to call it
 * through libscprof.so is then what libscprof.so costs. The same under a name to be
 * chosen by -s, and a function that others can be called inside of. */
#include "tests/bench/empty.h"

#include <sys/socket.h>

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	(void)fd;
	(void)buf;
	(void)flags;
	return (ssize_t)n;
}

ssize_t empty_chosen(int fd, const void *buf, size_t n, int flags)
{
	(void)fd;
	(void)buf;
	(void)flags;
	return (ssize_t)n;
}

long empty_around(void (*inner)(long), long n)
{
	inner(n);
	return n;
}
