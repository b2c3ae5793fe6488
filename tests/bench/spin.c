// SPDX-License-Identifier: GPL-3.0-or-later
/* A send of any length, found before libc's: it takes as many cycles of the
 * counter as it is told to send bytes. What a call costs is then known exactly,
 * but for what the host of a virtual machine and other programs take. */
#include <stdint.h>
#include <sys/socket.h>

static uint64_t read_counter(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	uint64_t v;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(v));
	return v;
#endif
}

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	uint64_t from = read_counter();

	(void)fd;
	(void)buf;
	(void)flags;
	while (read_counter() - from < n)
		;
	return (ssize_t)n;
}
