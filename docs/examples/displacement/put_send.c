// SPDX-License-Identifier: GPL-3.0-or-later
/* The paper's Figure 3: a sender that waits for each reply, and a server that does nothing
 * but take messages and answer. Here the server is a child, so that getrusage has its time
 * too; it may live on another CPU, and in another network namespace, at the other end of a
 * wire. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "put.h"

#define PATIENCE_S   60
#define MOST_AT_ONCE 32768 /* bytes that a receive buffer of any size holds */

static void enter(const char *path, int kind)
{
	int file;

	if (!path)
		return;
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || setns(file, kind))
		put_fail("cannot enter namespace %s: %s", path, strerror(errno));
	close(file);
}

static struct sockaddr_in where(const struct put_options *o, in_port_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = port};

	if (inet_pton(AF_INET, o->address, &a.sin_addr) != 1)
		put_fail("--address '%s' is no IPv4 address", o->address);
	return a;
}

/* Small packets go at once; and whatever goes wrong, nobody waits for ever. */
static void set_options(int s)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	int one = 1;

	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		put_fail("TCP_NODELAY: %s", strerror(errno));
}

/* All bytes, or 0 at the end of what there is. */
static size_t receive(int s, char *to, size_t bytes)
{
	size_t have = 0;

	while (have < bytes) {
		ssize_t n = recv(s, to + have, bytes - have, 0);

		if (!n)
			return 0;
		if (n < 0 && errno != EINTR)
			put_fail("recv: %s", strerror(errno));
		have += n > 0 ? (size_t)n : 0;
	}
	return have;
}

static void transmit(int s, const char *from, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(s, from, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			put_fail("send: %s", strerror(errno));
		from += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
}

static char *message(const struct put_options *o)
{
	char *room = malloc(o->bytes);

	if (room)
		return memset(room, 'm', o->bytes);
	put_fail("no memory for a message of %zu bytes", o->bytes);
}

/* One message, one wakeup, however many packets it comes in. (A receive that has taken a
 * part would not be woken by a rest below the low-water mark: so wait first, then take.) */
static void ask_whole(int s, size_t bytes)
{
	int whole = bytes <= MOST_AT_ONCE ? (int)bytes : 1;

	if (setsockopt(s, SOL_SOCKET, SO_RCVLOWAT, &whole, sizeof(whole)))
		put_fail("SO_RCVLOWAT: %s", strerror(errno));
}

static bool wait_whole(int s)
{
	struct pollfd p = {.fd = s, .events = POLLIN};

	if (poll(&p, 1, 1000 * PATIENCE_S) < 1)
		put_fail("the sender is silent");
	return true;
}

/* Listens, tells its port through the pipe, answers until the sender is gone. */
static void be_sink(const struct put_options *o, int tell)
{
	struct sockaddr_in a = where(o, 0);
	socklen_t size = sizeof(a);
	char *room = message(o);
	int listener, s;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	put_pin(o->peer_cpu);
	enter(o->peer_net, CLONE_NEWNET);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&a, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &size))
		put_fail("cannot listen on %s: %s", o->address, strerror(errno));
	if (write(tell, &a.sin_port, sizeof(a.sin_port)) != sizeof(a.sin_port))
		put_fail("the sink cannot tell its port: %s", strerror(errno));
	s = accept(listener, NULL, NULL);
	if (s < 0)
		put_fail("accept: %s", strerror(errno));
	set_options(s);
	ask_whole(s, o->bytes);
	while (wait_whole(s) && receive(s, room, o->bytes))
		transmit(s, room, 1);
	free(room);
}

static int connected(const struct put_options *o, in_port_t port)
{
	struct sockaddr_in a = where(o, port);
	int s;

	enter(o->net, CLONE_NEWNET);
	s = socket(AF_INET, SOCK_STREAM, 0);
	if (s < 0 || connect(s, (struct sockaddr *)&a, sizeof(a)))
		put_fail("cannot connect to %s: %s", o->address, strerror(errno));
	set_options(s);
	return s;
}

static double send_all(const struct put_options *o, int s)
{
	uint64_t turns = put_turns(o);
	char *room = message(o), reply;
	double began = put_now();

	for (uint64_t i = 0; i < o->loops; i++) {
		transmit(s, room, o->bytes);
		put_spin(turns);
		put_pause(o);
		if (!receive(s, &reply, 1))
			put_fail("the sink is gone after %llu replies", (unsigned long long)i);
	}
	began = put_now() - began;
	free(room);
	return began;
}

double put_send(const struct put_options *o)
{
	int ends[2], status, s;
	in_port_t port;
	double elapsed;
	pid_t sink;

	enter(o->user_ns, CLONE_NEWUSER);
	if (pipe(ends))
		put_fail("pipe: %s", strerror(errno));
	sink = fork();
	if (sink < 0)
		put_fail("fork: %s", strerror(errno));
	if (!sink) {
		close(ends[0]);
		be_sink(o, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &port, sizeof(port)) != sizeof(port))
		put_fail("the sink did not start");
	s = connected(o, port);
	elapsed = send_all(o, s);
	close(s);
	close(ends[0]);
	if (waitpid(sink, &status, 0) != sink || status)
		put_fail("the sink failed");
	return elapsed;
}
