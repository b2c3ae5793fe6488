// SPDX-License-Identifier: GPL-3.0-or-later
/* live_paths PATHS SECONDS [PAUSE_US [FILE]]: sends and receives on a socket pair from PATHS/2
 * different call chains in turn, each of 13 functions, so that a profile has PATHS call paths which
 * all go on being called; a pause of so long after each round. Prints exchanges a second. The first
 * eight bytes of FILE are their number so far. For tests/bench/top_cost and tests/bench/top_effect.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DEPTH 12

static int fd[2];

static void left(unsigned way, unsigned depth);
static void right(unsigned way, unsigned depth);

/* Twelve turns, of which the number's bits say which. */
static void go(unsigned way, unsigned depth)
{
	if (way & 1)
		left(way >> 1, depth - 1);
	else
		right(way >> 1, depth - 1);
	__asm__ volatile("");
}

static void exchange(void)
{
	char byte = 1;

	if (send(fd[0], &byte, 1, 0) != 1 || recv(fd[1], &byte, 1, 0) != 1)
		err(1, "an exchange");
}

__attribute__((noinline)) static void left(unsigned way, unsigned depth)
{
	if (depth)
		go(way, depth);
	else
		exchange();
	__asm__ volatile("");
}

__attribute__((noinline)) static void right(unsigned way, unsigned depth)
{
	if (depth)
		go(way, depth);
	else
		exchange();
	__asm__ volatile("");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Where others can read how far we are, without our doing anything for it. */
static volatile uint64_t *counter_in(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *map = MAP_FAILED;

	if (file >= 0 && !ftruncate(file, sizeof(uint64_t)))
		map = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (map == MAP_FAILED)
		err(1, "%s", path);
	return map;
}

int main(int argc, char **argv)
{
	unsigned chains = argc > 2 ? (unsigned)atoi(argv[1]) / 2 : 0;
	double began = now(), end = began + (argc > 2 ? atof(argv[2]) : 0);
	useconds_t pause = argc > 3 ? (useconds_t)atoi(argv[3]) : 0;
	volatile uint64_t *count = argc > 4 ? counter_in(argv[4]) : NULL;
	uint64_t done = 0;

	if (!chains || chains > 1u << DEPTH)
		errx(2, "usage: live_paths PATHS SECONDS [PAUSE_US [FILE]]; PATHS up to %u",
		     2u << DEPTH);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		err(1, "socketpair");
	while (now() < end) {
		for (unsigned i = 0; i < chains; i++, done++)
			go(i, DEPTH);
		if (count)
			*count = done;
		if (pause)
			usleep(pause);
	}
	printf("%.0f\n", (double)done / (now() - began));
	return 0;
}
