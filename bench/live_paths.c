// SPDX-License-Identifier: GPL-3.0-or-later
/* live_paths PATHS SECONDS [PAUSE_US]: sends and receives on a socket pair from PATHS/2 different
 * call chains in turn, each of 13 functions, so that a profile has PATHS call paths which all
 * go on being called; a pause of so long after each round. Prints exchanges a second. For
 * bench/top_cost. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
	unsigned chains = argc > 2 ? (unsigned)atoi(argv[1]) / 2 : 0;
	double began = now(), end = began + (argc > 2 ? atof(argv[2]) : 0);
	useconds_t pause = argc > 3 ? (useconds_t)atoi(argv[3]) : 0;
	unsigned long done = 0;

	if (!chains || chains > 1u << DEPTH)
		errx(2, "usage: live_paths PATHS SECONDS [PAUSE_US]; PATHS up to %u", 2u << DEPTH);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		err(1, "socketpair");
	while (now() < end) {
		for (unsigned i = 0; i < chains; i++, done++)
			go(i, DEPTH);
		if (pause)
			usleep(pause);
	}
	printf("%.0f\n", (double)done / (now() - began));
	return 0;
}
