// SPDX-License-Identifier: GPL-3.0-or-later
/* hung: threads that wait for each other, for a pipe, for what never comes; one that computes, and
 * whose calls must not be interrupted; and main in accept. A call that is ends it with status 3. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER,
		       third = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static int ends[2], watched;
static volatile unsigned long sum;

static __attribute__((noinline)) void lock_other(pthread_mutex_t *own, pthread_mutex_t *other)
{
	pthread_mutex_lock(own);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(other);
	sum++; /* no tail call */
}

static void *takes_first(void *unused)
{
	lock_other(&first, &second);
	return unused;
}

static void *takes_second(void *unused)
{
	lock_other(&second, &first);
	return unused;
}

static void *reads(void *unused)
{
	char byte;

	return read(ends[0], &byte, 1) < 0 ? unused : NULL;
}

static void *waits(void *unused)
{
	pthread_mutex_lock(&third);
	for (;;)
		pthread_cond_wait(&never, &third);
	return unused;
}

/* It jumps there: no call of epoll_wait leads to its caller. */
static __attribute__((noinline)) int wait_for(struct epoll_event *event, int ms)
{
	return epoll_wait(watched, event, 1, ms);
}

static void watch(int ms)
{
	struct epoll_event event;

	if (wait_for(&event, ms) < 0 && errno == EINTR)
		_exit(3);
}

static void *watches(void *unused)
{
	for (;;)
		watch(-1);
	return unused;
}

/* For much longer than it sleeps: whoever shares its CPU looks while it sleeps. */
static __attribute__((noinline)) void compute(void)
{
	for (unsigned long i = 0; i < 20000000; i++)
		sum += i;
}

static void *computes(void *unused)
{
	for (;;) {
		compute();
		watch(1);
	}
	return unused;
}

static void begin(const char *name, void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL))
		_exit(1);
	pthread_setname_np(thread, name);
}

int main(void)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(here);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct epoll_event event = {.events = EPOLLIN};

	pthread_barrier_init(&both, NULL, 2);
	watched = epoll_create1(0);
	if (bind(server, (struct sockaddr *)&here, sizeof(here)) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&here, &bytes) || pipe(ends) ||
	    epoll_ctl(watched, EPOLL_CTL_ADD, ends[0], &event))
		return 1;
	begin("takes-first", takes_first);
	begin("takes-second", takes_second);
	begin("reads", reads);
	for (int i = 0; i < 3; i++)
		begin("waits", waits);
	begin("watches", watches);
	begin("computes", computes);
	printf("begun %d\n", ntohs(here.sin_port));
	fflush(stdout);
	return accept(server, NULL, NULL) < 0;
}
