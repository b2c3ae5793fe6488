// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded: made-up time, for tests of what is computed from times. It stands still but for what
 * is said to take some, and that takes exactly as long:
 *	made_clock_pass(NS)		NS
 *	nanosleep, clock_nanosleep	what was asked for, at once
 *	send, sendto, recvfrom, read	of descriptor -1: what made_clock_next(NS) said, else as
 *					many ns as bytes
 *	poll				of nothing: what was asked for, although the thread sleeps
 *					for 1 ms of real time at most
 *	a reading			$MADE_CLOCK_READ_NS, if there is any, of its process alone:
 *					when others read depends on the scheduler
 * CLOCK_MONOTONIC tells it, and RAW; COARSE in ticks of 4 ms. The page clock of $SCPROF_CLOCK_PAGE
 *ticks at random distances of half to one and a half of its interval, as the ticker's. The
 *processes share the time that have the file $MADE_CLOCK. */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scprof_format.h"

#define START_NS UINT64_C(1000000000000)
#define PAGE	 4096
#define COARSE	 4000000

static uint64_t alone_ns = START_NS, *made_ns = &alone_ns, read_ns, readings_ns;

static uint64_t next_ns, due_ns, state = 1;
static struct scp_clock_page *ticks;

static void *map(const char *path, int flags, size_t bytes)
{
	int fd = path ? open(path, O_RDWR | O_CLOEXEC | flags, 0600) : -1;
	void *found;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		abort();
	found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (found == MAP_FAILED)
		abort();
	return found;
}

static __attribute__((constructor)) void share(void)
{
	const char *reading = getenv("MADE_CLOCK_READ_NS"), *page = getenv("SCPROF_CLOCK_PAGE");
	uint64_t none = 0;

	made_ns = map(getenv("MADE_CLOCK"), O_CREAT, PAGE);
	__atomic_compare_exchange_n(made_ns, &none, START_NS, 0, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	read_ns = reading ? strtoul(reading, NULL, 10) : 0;
	ticks = page ? map(page, 0, SCP_CLOCK_PAGE_BYTES) : NULL;
	due_ns = *made_ns;
}

/* Up to `most`, any as likely as any other: splitmix64. */
static uint64_t random_up_to(uint64_t most)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % (most + 1);
}

void made_clock_pass(uint64_t ns);
void made_clock_pass(uint64_t ns)
{
	uint64_t now = __atomic_add_fetch(made_ns, ns, __ATOMIC_RELAXED);
	uint64_t interval = ticks ? ticks->interval_ps / 1000 : 0;

	for (; ticks && due_ns <= now; due_ns += interval / 2 + random_up_to(interval))
		__atomic_store_n(&ticks->ticks, ticks->ticks + 1, __ATOMIC_RELAXED);
}

void made_clock_next(uint64_t ns);
void made_clock_next(uint64_t ns)
{
	next_ns = ns;
}

static ssize_t call(size_t bytes)
{
	made_clock_pass(next_ns ? next_ns : bytes);
	next_ns = 0;
	return (ssize_t)bytes;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	uint64_t ns;

	if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW && id != CLOCK_MONOTONIC_COARSE)
		return (int)syscall(SYS_clock_gettime, id, t);
	ns = __atomic_load_n(made_ns, __ATOMIC_RELAXED) +
	     __atomic_fetch_add(&readings_ns, read_ns, __ATOMIC_RELAXED);
	ns -= id == CLOCK_MONOTONIC_COARSE ? ns % COARSE : 0;
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

int clock_getres(clockid_t id, struct timespec *t)
{
	t->tv_sec = 0;
	t->tv_nsec = id == CLOCK_MONOTONIC_COARSE ? COARSE : 1;
	return 0;
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	return fd == -1 ? call(bytes) : syscall(SYS_sendto, fd, data, bytes, flags, NULL, 0);
}

ssize_t sendto(int fd, const void *data, size_t bytes, int flags, const struct sockaddr *to,
	       socklen_t length)
{
	return fd == -1 ? call(bytes) : syscall(SYS_sendto, fd, data, bytes, flags, to, length);
}

ssize_t recvfrom(int fd, void *data, size_t bytes, int flags, struct sockaddr *from,
		 socklen_t *length)
{
	return fd == -1 ? call(bytes) : syscall(SYS_recvfrom, fd, data, bytes, flags, from, length);
}

ssize_t read(int fd, void *data, size_t bytes)
{
	return fd == -1 ? call(bytes) : syscall(SYS_read, fd, data, bytes);
}

int poll(struct pollfd *fds, nfds_t count, int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	long found;

	if (count == 0 && ms > 0)
		t = (struct timespec){0, 1000000};
	found = syscall(SYS_ppoll, fds, count, ms < 0 ? NULL : &t, NULL, 0);
	if (count == 0 && ms > 0 && found == 0)
		made_clock_pass((uint64_t)ms * 1000000);
	return (int)found;
}
