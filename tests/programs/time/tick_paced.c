// SPDX-License-Identifier: GPL-3.0-or-later
/* Paced by the kernel's tick: sleeps until the next tick of CLOCK_MONOTONIC_COARSE, then
 * works for about 200 us in one wrapped call (a read of random bytes, as many as take
 * that long). It is done long before the clock advances again, each time: a clock of
 * these ticks never sees it work. Usage: tick_paced ROUNDS [MICROSECONDS] */
#include <stdint.h>
#include <time.h>

#include "target.h"

#define MOST_BYTES (1u << 22)

static uint8_t *buffer;

static int64_t read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void work(int fd, size_t bytes)
{
	if (read(fd, buffer, bytes) != (ssize_t)bytes)
		die("read");
}

/* By a raw system call: calibrating is not to be recorded. */
static size_t bytes_for(int fd, int64_t ns)
{
	const size_t probe = 1u << 15;
	int64_t best = INT64_MAX;

	for (int i = 0; i < 20; i++) {
		int64_t from = read_ns(CLOCK_MONOTONIC), took;

		if (syscall(SYS_read, fd, buffer, probe) != (long)probe)
			die("read");
		took = read_ns(CLOCK_MONOTONIC) - from;
		best = took < best ? took : best;
	}
	ns = (int64_t)probe * ns / (best > 0 ? best : 1);
	return ns < MOST_BYTES ? (size_t)ns : MOST_BYTES;
}

static void sleep_until_tick(int64_t tick_ns)
{
	int64_t at = read_ns(CLOCK_MONOTONIC_COARSE), now = read_ns(CLOCK_MONOTONIC);
	struct timespec t;

	while (at <= now)
		at += tick_ns;
	t.tv_sec = at / 1000000000;
	t.tv_nsec = at % 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000, us = argc > 2 ? atol(argv[2]) : 200;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY | O_CLOEXEC);
	struct timespec resolution;
	size_t bytes;

	buffer = malloc(MOST_BYTES);
	if (fd < 0 || !buffer)
		die("/dev/urandom");
	memset(buffer, 0, MOST_BYTES);
	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	bytes = bytes_for(fd, us * 1000);
	for (long i = 0; i < rounds; i++) {
		sleep_until_tick(resolution.tv_nsec);
		work(fd, bytes);
	}
	say("%ld rounds\n", rounds);
	expect_calls("read", rounds);
	return 0;
}
