// SPDX-License-Identifier: GPL-3.0-or-later
/* Computes in functions of known shares until so much CPU time was used, and calls between: in
 * itself, in a forked child, in a thread, or in a library's wrappers alone.
 * computes PLACE CPU-MS */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static int ends[2];

#define NEVER_INLINED __attribute__((noinline, noclone))

NEVER_INLINED static void computes_little(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + i;
}

NEVER_INLINED static void computes_much(unsigned long n)
{
	for (unsigned long i = 0; i < 9 * n; i++)
		sum = sum * 5 + i;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

NEVER_INLINED static void outer(double ms)
{
	while (cpu_ms() < ms) {
		computes_little(5000);
		computes_much(5000);
		sum++;
	}
}

/* Calls alone: the kernel copies a megabyte in each. */
static void calls(double ms)
{
	static char bytes[1 << 20];
	int size = 4 << 20;

	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	while (cpu_ms() < ms)
		for (ssize_t sent = send(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT); sent > 0;)
			sent -= recv(ends[1], bytes, sizeof(bytes), 0);
}

static void *thread(void *ms)
{
	outer(*(double *)ms);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *place = argc > 1 ? argv[1] : "";
	double ms = argc > 2 ? strtod(argv[2], NULL) : 100;
	pthread_t t;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], "x", 1, 0) != 1)
		return 1;
	if (!strcmp(place, "calls")) {
		calls(ms);
	} else if (!strcmp(place, "thread")) {
		if (pthread_create(&t, NULL, thread, &ms) || pthread_join(t, NULL))
			return 1;
	} else if (!strcmp(place, "child")) {
		pid_t pid = fork();

		if (!pid) {
			outer(ms);
			_exit(0);
		}
		return waitpid(pid, NULL, 0) != pid;
	} else {
		outer(ms);
	}
	return 0;
}
