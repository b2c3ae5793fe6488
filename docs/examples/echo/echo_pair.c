// SPDX-License-Identifier: GPL-3.0-or-later
/* A client and an echo server over TCP on the loopback, each a process.
 *
 * The number of every socket call follows from the arguments alone (replies
 * are awaited whole, rounds go in lock-step), so that a profile of it can be
 * compared with strace call by call. It also makes the calls that do not
 * complete: one that would block and one error on each side.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SIZE 65536

struct greeting {
	uint32_t rounds, size;
};

static char buffer[MAX_SIZE];

static void fail(const char *what)
{
	fprintf(stderr, "echo_pair: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void expect(int got, int wanted, const char *what)
{
	if (got == wanted)
		return;
	if (got >= 0)
		errno = EPROTO;
	fail(what);
}

static int listen_on_loopback(struct sockaddr_in *address)
{
	socklen_t length = sizeof *address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memset(address, 0, sizeof *address);
	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)address, sizeof *address) < 0 ||
	    listen(fd, 1) < 0 || getsockname(fd, (struct sockaddr *)address, &length) < 0)
		fail("listening on 127.0.0.1");
	return fd;
}

/* Nagle's algorithm would add 40 ms of waiting to some rounds. */
static void send_at_once(int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
		fail("setsockopt TCP_NODELAY");
}

static void serve_round(int fd, uint32_t size)
{
	expect(recv(fd, buffer, size, MSG_WAITALL), size, "recv of a request");
	expect(send(fd, buffer, size, MSG_NOSIGNAL), size, "send of a reply");
}

static int serve(int listener)
{
	struct greeting g;
	int fd = accept(listener, NULL, NULL);

	if (fd < 0)
		fail("accept");
	send_at_once(fd);
	expect(read(fd, &g, sizeof g), sizeof g, "read of the greeting");
	expect(write(fd, &g, sizeof g), sizeof g, "write of the greeting");
	for (uint32_t i = 0; i < g.rounds; i++)
		serve_round(fd, g.size);
	expect(recv(fd, buffer, 1, 0), 0, "recv of the end");
	close(fd);
	close(listener);
	return 0;
}

static void ask_round(int fd, uint32_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	expect(send(fd, buffer, size, MSG_NOSIGNAL), size, "send of a request");
	expect(poll(&p, 1, 30000), 1, "poll for the reply");
	expect(recv(fd, buffer, size, MSG_WAITALL), size, "recv of a reply");
}

/* Nothing was sent yet, so nothing can have come: EAGAIN, always. */
static void look_too_early(int fd)
{
	if (recv(fd, buffer, 1, MSG_DONTWAIT) != -1 || errno != EAGAIN)
		fail("recv that should have found nothing");
}

static void use_before_connecting(int fd)
{
	if (send(fd, buffer, 1, MSG_NOSIGNAL) != -1)
		fail("send that should have failed");
}

static void ask(const struct sockaddr_in *address, struct greeting g)
{
	struct greeting answer;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail("socket");
	use_before_connecting(fd);
	if (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0)
		fail("connect");
	send_at_once(fd);
	look_too_early(fd);
	expect(write(fd, &g, sizeof g), sizeof g, "write of the greeting");
	expect(read(fd, &answer, sizeof answer), sizeof answer, "read of the greeting");
	for (uint32_t i = 0; i < g.rounds; i++)
		ask_round(fd, g.size);
	close(fd);
}

static uint32_t number(const char *text, unsigned long min, unsigned long max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value < min || value > max) {
		fprintf(stderr,
			"echo_pair: '%s' is not a number from %lu to %lu\n"
			"usage: echo_pair ROUNDS [BYTES]\n",
			text, min, max);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct greeting g = {.rounds = argc > 1 ? number(argv[1], 0, 1000000000) : 10000,
			     .size = argc > 2 ? number(argv[2], 1, MAX_SIZE) : 100};
	struct sockaddr_in address;
	int listener = listen_on_loopback(&address), status;
	pid_t server = fork();

	if (server < 0)
		fail("fork");
	if (server == 0)
		return serve(listener);
	close(listener);
	ask(&address, g);
	if (waitpid(server, &status, 0) != server || status != 0)
		fail("the server's end");
	printf("%u rounds of %u bytes\n", g.rounds, g.size);
	return 0;
}
