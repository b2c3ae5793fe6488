// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread for each request: it waits, computes and writes three times, and ends. Four at a time.
 * Prints, of the process, CPU time a thread; and of its calls of ppoll, as the threads themselves
 * found it: how many there were, their mean elapsed time, and their mean CPU time, in ns.
 * Usage: short_threads THREADS [silent]; with `silent` the threads do not look at their clocks. */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE	    4
#define TIMES	    3
#define COMPUTES_NS 30000u
#define WAITS_NS    100000

static bool silent;
static uint64_t calls, elapsed_ns, cpu_ns;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_a_little(void)
{
	const struct timespec wait = {0, WAITS_NS};
	uint64_t cpu, began;

	if (silent) {
		ppoll(NULL, 0, &wait, NULL);
		return;
	}
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	began = now(CLOCK_MONOTONIC_RAW);
	ppoll(NULL, 0, &wait, NULL);
	began = now(CLOCK_MONOTONIC_RAW) - began;
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&elapsed_ns, began, __ATOMIC_RELAXED);
	__atomic_add_fetch(&cpu_ns, cpu, __ATOMIC_RELAXED);
}

static void *serve(void *to)
{
	for (int i = 0; i < TIMES; i++) {
		uint64_t began;

		wait_a_little();
		began = now(CLOCK_MONOTONIC_RAW);
		while (now(CLOCK_MONOTONIC_RAW) - began < COMPUTES_NS)
			;
		if (write(*(int *)to, "", 1) != 1)
			abort();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 10000;
	static char drained[AT_ONCE * TIMES];
	pthread_t thread[AT_ONCE];
	struct rusage usage;
	int ends[2];

	silent = argc > 2 && !strcmp(argv[2], "silent");
	if (pipe(ends))
		return 1;
	for (long started = 0; started < threads; started += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&thread[i], NULL, serve, &ends[1]))
				return 1;
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(thread[i], NULL);
		if (read(ends[0], drained, sizeof drained) < 1)
			return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f %llu %.1f %.1f\n",
	       ((double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3) /
		       (double)threads,
	       (unsigned long long)calls, (double)elapsed_ns / (double)(calls ? calls : 1),
	       (double)cpu_ns / (double)(calls ? calls : 1));
	return 0;
}
