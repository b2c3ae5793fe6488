// SPDX-License-Identifier: GPL-3.0-or-later
/* A process that talks to itself and sleeps: `sleeper PAUSE_MS [TALKS [ROUNDS [FIFO]]]`: so many
 * sends and receives of 64 bytes, a pause, and so on; and once each round a send that fails. It
 * says "calls N" when it has done ROUNDS (0: never ends). The last round begins when FIFO was
 * written to. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void wait_for(const char *fifo)
{
	char c;
	int fd = open(fifo, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &c, 1) != 1)
		exit(1);
	close(fd);
}

int main(int argc, char **argv)
{
	int pause_ms = argc > 1 ? atoi(argv[1]) : 1000, talks = argc > 2 ? atoi(argv[2]) : 10;
	long rounds = argc > 3 ? atol(argv[3]) : 0, calls = 0;
	char bytes[64] = {0};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	for (long round = 0; !rounds || round < rounds; round++) {
		if (argc > 4 && round == rounds - 1)
			wait_for(argv[4]);
		for (int i = 0; i < talks; i++, calls++)
			if (send(pair[0], bytes, sizeof(bytes), 0) != sizeof(bytes) ||
			    recv(pair[1], bytes, sizeof(bytes), 0) != sizeof(bytes))
				return 1;
		if (send(-1, bytes, 1, 0) >= 0)
			return 1;
		poll(NULL, 0, pause_ms);
	}
	printf("calls %ld\n", calls);
	return 0;
}
