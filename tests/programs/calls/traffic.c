// SPDX-License-Identifier: GPL-3.0-or-later
/* Something to watch: calls at two sites of different rates, on a socket pair, and a wait of a
 * millisecond, for SECONDS or until SIGTERM. Usage: traffic SECONDS; a third site begins when
 * SIGUSR1 comes. Says so when each of the two has been called. */
#include "target.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t asked, over;

static void ask(int number)
{
	(void)number;
	asked = 1;
}

static void end_it(int number)
{
	(void)number;
	over = 1;
}

__attribute__((noinline)) static void often(const int fd[2], char *buffer)
{
	if (send(fd[0], buffer, 100, 0) != 100 || recv(fd[1], buffer, 100, 0) != 100)
		die("an exchange");
	__asm__ volatile("");
}

__attribute__((noinline)) static void seldom(const int fd[2], char *buffer)
{
	if (send(fd[0], buffer, 4000, 0) != 4000 || recv(fd[1], buffer, 4000, 0) != 4000)
		die("a large exchange");
	__asm__ volatile("");
}

__attribute__((noinline)) static void when_asked(const int fd[2], char *buffer)
{
	if (send(fd[0], buffer, 1, 0) != 1 || recv(fd[1], buffer, 1, 0) != 1)
		die("a small exchange");
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
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);
	char buffer[4096] = "";
	int fd[2], begun = 0;

	signal(SIGUSR1, ask);
	signal(SIGTERM, end_it);
	make_pair(fd);
	do {
		for (int i = 0; i < 40; i++)
			often(fd, buffer);
		seldom(fd, buffer);
		if (asked)
			when_asked(fd, buffer);
		if (!begun++)
			say("begun\n");
		poll(NULL, 0, 1);
	} while (!over && now() < end);
	return 0;
}
