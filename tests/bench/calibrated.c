// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions of known duration under the names of library functions, found before libc's: a
 * profile's durations can be compared with the true ones. send does nothing, recv works for as many
 * steps as it is asked for bytes and moves none. sendto works for `flags` steps and one more for
 * each byte, recvfrom for `flags` steps and four for each byte.
 *
 * A step is a multiplication that waits for the one before it. The fences keep the work of
 * two calls apart: without them the processor begins the next call's while this one's is
 * under way, and there is no duration of a call to speak of. (Reading a counter up to a
 * deadline would not do: its steps of 13 ns fall differently in each surrounding.) */
#include <stdint.h>
#include <sys/socket.h>

#ifdef __x86_64__
#define FENCE() __asm__ volatile("lfence" ::: "memory")
#else
#define FENCE() __asm__ volatile("dsb ish; isb" ::: "memory")
#endif

static void work(size_t steps)
{
	uint64_t x = steps;

	FENCE();
	for (size_t i = 0; i < steps; i++) {
		x *= 0x9e3779b97f4a7c15u;
		__asm__ volatile("" : "+r"(x));
	}
	FENCE();
}

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	(void)fd;
	(void)buf;
	(void)flags;
	return (ssize_t)n;
}

ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	(void)fd;
	(void)buf;
	(void)flags;
	work(n);
	return 0;
}

ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
	       socklen_t length)
{
	(void)fd;
	(void)buf;
	(void)to;
	(void)length;
	work(n + (size_t)flags);
	return (ssize_t)n;
}

ssize_t recvfrom(int fd, void *buf, size_t n, int flags, struct sockaddr *from, socklen_t *length)
{
	(void)fd;
	(void)buf;
	(void)from;
	(void)length;
	work(4 * n + (size_t)flags);
	return (ssize_t)n;
}
