// SPDX-License-Identifier: GPL-3.0-or-later
/* Waits for a pipe in every way: 5 times until it gives up, 7 times without waiting at all, 3
 * times for what is there, for longest or for ever. Then a connection that nobody answers. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], epoll;

static int in_poll(int ms)
{
	struct pollfd p = {.fd = ends[0], .events = POLLIN};

	return poll(&p, 1, ms);
}

static const struct timespec *time_of(int ms, struct timespec *t)
{
	*t = (struct timespec){0, ms * 1000000};
	return ms < 0 ? NULL : t;
}

static int in_ppoll(int ms)
{
	struct pollfd p = {.fd = ends[0], .events = POLLIN};
	struct timespec t;

	return ppoll(&p, 1, time_of(ms, &t), NULL);
}

static int in_select(int ms)
{
	struct timeval t = {0, ms * 1000};
	fd_set in;

	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	return select(ends[0] + 1, &in, NULL, NULL, ms < 0 ? NULL : &t);
}

static int in_pselect(int ms)
{
	struct timespec t;
	fd_set in;

	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	return pselect(ends[0] + 1, &in, NULL, NULL, time_of(ms, &t), NULL);
}

static int in_epoll_wait(int ms)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, ms);
}

static int in_epoll_pwait(int ms)
{
	struct epoll_event event;

	return epoll_pwait(epoll, &event, 1, ms, NULL);
}

#if __GLIBC_PREREQ(2, 35)
static int in_epoll_pwait2(int ms)
{
	struct epoll_event event;
	struct timespec t;

	return epoll_pwait2(epoll, &event, 1, time_of(ms, &t), NULL);
}
#else
#define in_epoll_pwait2 NULL
#endif

static int (*const ways[])(int ms) = {
	in_poll, in_ppoll, in_select, in_pselect, in_epoll_wait, in_epoll_pwait, in_epoll_pwait2,
};

static int wait_all(int times, int ms, int expected)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		for (int k = 0; ways[i] && k < times; k++)
			wrong += ways[i](ms) != expected;
	return wrong;
}

/* Nobody takes connections from a full queue: the kernel gives up. 0: as told. */
static int connect_in_vain(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), once = 1;

	if (bind(listener, (struct sockaddr *)&at, bytes) || listen(listener, 0) ||
	    getsockname(listener, (struct sockaddr *)&at, &bytes))
		return 1;
	for (int i = 0; i < 8; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &once, sizeof(once));
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &once, sizeof(once));
		if (connect(fd, (struct sockaddr *)&at, bytes) < 0)
			return errno != ETIMEDOUT;
	}
	return 1;
}

int main(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int wrong;

	if (pipe(ends) || (epoll = epoll_create1(0)) < 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event))
		return 99;
	wrong = wait_all(5, 1, 0) + wait_all(7, 0, 0);
	if (write(ends[1], "x", 1) != 1)
		return 99;
	wrong += wait_all(2, 1, 1) + wait_all(1, -1, 1);
	wrong += connect_in_vain();
	printf("%d wrong\n", wrong);
	return wrong ? 99 : 0;
}
