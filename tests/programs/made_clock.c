// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded: made-up time, for tests of what is computed from times. It stands still but for what
 * is said to take some, and that takes exactly as long:
 *	made_clock_pass(NS)		NS
 *	nanosleep, clock_nanosleep	what was asked for, at once
 *	send(-1, ...)			as many ns as bytes
 *	a reading			$MADE_CLOCK_READ_NS, if there is any
 * CLOCK_MONOTONIC tells it, and its kin RAW and COARSE. The processes share it that have the file
 * $MADE_CLOCK. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define START_NS UINT64_C(1000000000000)
#define PAGE	 4096

static uint64_t alone_ns = START_NS, *made_ns = &alone_ns, read_ns;

static __attribute__((constructor)) void share(void)
{
	const char *path = getenv("MADE_CLOCK");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	uint64_t none = 0;
	void *map;

	if (fd < 0 || ftruncate(fd, PAGE))
		abort();
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		abort();
	made_ns = map;
	read_ns =
		getenv("MADE_CLOCK_READ_NS") ? strtoul(getenv("MADE_CLOCK_READ_NS"), NULL, 10) : 0;
	__atomic_compare_exchange_n(made_ns, &none, START_NS, 0, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

void made_clock_pass(uint64_t ns);
void made_clock_pass(uint64_t ns)
{
	__atomic_add_fetch(made_ns, ns, __ATOMIC_RELAXED);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	uint64_t ns;

	if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW && id != CLOCK_MONOTONIC_COARSE)
		return (int)syscall(SYS_clock_gettime, id, t);
	ns = __atomic_fetch_add(made_ns, read_ns, __ATOMIC_RELAXED);
	t->tv_sec = (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)left;
	made_clock_pass(ns_of(wanted));
	return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *wanted, struct timespec *left)
{
	struct timespec now = {0};

	(void)left;
	if (flags & TIMER_ABSTIME)
		clock_gettime(id, &now);
	if (ns_of(wanted) > ns_of(&now))
		made_clock_pass(ns_of(wanted) - ns_of(&now));
	return 0;
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	if (fd != -1)
		return syscall(SYS_sendto, fd, data, bytes, flags, NULL, 0);
	made_clock_pass(bytes);
	return (ssize_t)bytes;
}
