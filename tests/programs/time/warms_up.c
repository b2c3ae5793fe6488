// SPDX-License-Identifier: GPL-3.0-or-later
/* A site whose first calls are not like the others: 3000 sends of 30000 bytes, then
 * 13000 of 100, from one place; with an argument, all of 100. With `slowly SECONDS` the slow
 * beginning comes too, and then as many more of 100 as that takes, or until SIGTERM, a pause after
 * each eight. */
#include "target.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void end_it(int number)
{
	(void)number;
	over = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static char buffer[65536];
	double end = argc == 3 ? now() + atof(argv[2]) : 0;
	int pair[2];

	signal(SIGTERM, end_it);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 1;
	for (int i = 0; i < 16000 || (!over && now() < end); i++) {
		size_t left = i < 3000 && argc != 2 ? 30000 : 100;

		if (send(pair[0], buffer, left, 0) != (ssize_t)left)
			return 1;
		while (left > 0) {
			ssize_t got = recv(pair[1], buffer, left, 0);

			if (got <= 0)
				return 1;
			left -= (size_t)got;
		}
		if (i >= 16000 && i % 8 == 0)
			usleep(1000);
	}
	return 0;
}
