// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: calls that _FORTIFY_SOURCE checks at run time are recorded under their
 * plain names, and an overflow ends the program with the usual message.
 * Usage: fortify fine | recv|read|poll|recvfrom (which one overflows) */
#include "target.h"

#include <poll.h>

/* The compiler knows the room (16 bytes, 2 entries), not the length asked for. */
static void use(const int fd[2], const char *what, size_t length, nfds_t polled)
{
	struct pollfd p[2] = {{.fd = fd[1], .events = POLLIN}, {.fd = -1}};
	char room[16];

	if (send(fd[0], "abcd", 4, 0) != 4)
		die("send");
	if (strcmp(what, "poll") == 0 && poll(p, polled, 1000) != 1)
		die("poll");
	if (strcmp(what, "recv") == 0 && recv(fd[1], room, length, 0) != 4)
		die("recv");
	if (strcmp(what, "read") == 0 && read(fd[1], room, length) != 4)
		die("read");
	if (strcmp(what, "recvfrom") == 0 && recvfrom(fd[1], room, length, 0, NULL, NULL) != 4)
		die("recvfrom");
	if (strcmp(what, "poll") == 0 && syscall(SYS_read, fd[1], room, 4) != 4)
		die("read after poll");
}

int main(int argc, char **argv)
{
	static const char *const calls[] = {"recv", "read", "poll", "recvfrom"};
	/* Lengths that no optimiser can see. */
	size_t fine = (size_t)argc * 4;
	int pair[2];

	if (argc != 2)
		return 2;
	make_pair(pair);
	for (int i = 0; i < 4; i++) {
		for (int times = 0; times < 50; times++)
			use(pair, calls[i], fine, fine / 4);
		expect_calls(calls[i], 50);
	}
	say("fifty of each\n");
	if (strcmp(argv[1], "fine"))
		use(pair, argv[1], fine * 100, fine * 100);
	return 0;
}
