// SPDX-License-Identifier: GPL-3.0-or-later
/* What a C library does beside the calls that are recorded: threads with their ends, fork, exec,
 * signals, dlopen, errno. Prints what came of it, the same with and without the library. With
 * arguments: executes them at last. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define CALLS	1000

static int pair[2];
static volatile sig_atomic_t handled;

static void handle(int signal)
{
	int saved = errno;

	handled += signal == SIGUSR1 && send(pair[0], "h", 1, MSG_DONTWAIT) == 1;
	errno = saved;
}

static void *work(void *sum)
{
	int own[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, own))
		return NULL;
	for (int i = 0; i < CALLS; i++)
		if (send(own[0], "x", 1, 0) == 1 && recv(own[1], &c, 1, 0) == 1)
			__atomic_add_fetch((long *)sum, 1, __ATOMIC_RELAXED);
	close(own[0]);
	close(own[1]);
	return sum;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
	int x[64];

	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 64; i++)
			x[i] = (i * 37 + round) % 64;
		qsort(x, 64, sizeof(*x), compare);
	}
	printf("sorted %d %d\n", x[0], x[63]);
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	long sum = 0;
	char text[64];
	int status;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || signal(SIGUSR1, handle) == SIG_ERR)
		return 99;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, &sum))
			return 99;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("threads %ld\n", sum);
	fflush(stdout);
	if (!fork())
		_exit(work(&sum) ? 7 : 99);
	wait(&status);
	printf("child %d\n", WEXITSTATUS(status));
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	printf("handled %d, read %zd\n", (int)handled, recv(pair[1], text, sizeof(text), 0));
	errno = 0;
	printf("error %zd %d\n", recv(-1, text, 1, 0), errno == EBADF);
	printf("opened %d\n", dlopen("no such library", RTLD_NOW) != NULL);
	sort();
	fflush(stdout);
	if (argc > 1)
		execv(argv[1], argv + 1);
	return argc > 1 ? 99 : 3;
}
