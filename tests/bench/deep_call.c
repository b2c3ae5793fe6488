// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls an empty library function in a loop below 15 frames, and prints the
 * time a call in nanoseconds: the median of 21 repetitions, because the host
 * of a virtual machine steals time from some of them.
 *
 * Usage: deep_call call|chosen|inside|chosen-inside|socket|malloc|rdtsc|unwind CALLS [THREADS]
 *   call    the plain call; what a preloaded library adds shows here
 *   chosen  likewise, of a function that scprof knows only if -s chooses it
 *   inside, chosen-inside  call and chosen, made inside another call (empty_around)
 *   socket  a byte written to a socket and read from its peer: two system calls
 *   malloc  a block of 64 bytes allocated and freed: two calls of the allocator
 *   rdtsc   two readings of the counter round an indirect call, for comparison
 *   unwind  unw_backtrace of this stack (deep_unwind only)
 * With several threads: the mean of their medians. A second line has the most
 * memory that the process had, in kB.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "tests/bench/empty.h"

#define REPETITIONS 21
#define MAX_THREADS 64

static void (*operation)(long calls);
static long calls_each;
static volatile uint64_t sink;
static ssize_t (*volatile indirect)(int, const void *, size_t, int) = send;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void make_calls(long calls)
{
	for (long i = 0; i < calls; i++)
		send(-1, NULL, 0, 0);
}

static void make_chosen_calls(long calls)
{
	for (long i = 0; i < calls; i++)
		empty_chosen(-1, NULL, 0, 0);
}

static void make_calls_inside(long calls)
{
	sink = (uint64_t)empty_around(make_calls, calls);
}

static void make_chosen_calls_inside(long calls)
{
	sink = (uint64_t)empty_around(make_chosen_calls, calls);
}

static int ends[2]; /* of a pair of sockets */

static void pass_bytes(long calls)
{
	char byte = 0;

	for (long i = 0; i < calls; i++)
		if (write(ends[0], &byte, 1) != 1 || read(ends[1], &byte, 1) != 1)
			abort();
}

static void make_blocks(long calls)
{
	for (long i = 0; i < calls; i++) {
		void *volatile block = malloc(64);

		free(block);
	}
}

static uint64_t read_counter(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#endif
}

static void make_timed_calls(long calls)
{
	uint64_t sum = 0;

	for (long i = 0; i < calls; i++) {
		uint64_t from = read_counter();

		indirect(-1, NULL, 0, 0);
		sum += read_counter() - from;
	}
	sink = sum;
}

#ifdef WITH_LIBUNWIND
static void make_unwinds(long calls)
{
	void *frame[64];

	for (long i = 0; i < calls; i++)
		sink = (uint64_t)unw_backtrace(frame, 64);
}
#endif

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The bottom of the stack: time the operation, many times, at one depth. */
__attribute__((noinline)) static double frame_0(void)
{
	double ns[REPETITIONS];

	operation(calls_each / 10 + 1); /* the first call on a path is dear */
	for (int i = 0; i < REPETITIONS; i++) {
		uint64_t from = now_ns();

		operation(calls_each);
		ns[i] = (double)(now_ns() - from) / (double)calls_each;
	}
	qsort(ns, REPETITIONS, sizeof *ns, by_size);
	return ns[REPETITIONS / 2];
}

/* Frames of different functions, as in a real program. Adding to the result
 * keeps the call from being the frame's last act. */
#define FRAME(n, below)                                                                            \
	__attribute__((noinline)) static double frame_##n(void)                                    \
	{                                                                                          \
		double result = frame_##below();                                                   \
                                                                                                   \
		__asm__ volatile("" ::: "memory");                                                 \
		return result;                                                                     \
	}
FRAME(1, 0)
FRAME(2, 1)
FRAME(3, 2)
FRAME(4, 3)
FRAME(5, 4)
FRAME(6, 5)
FRAME(7, 6)
FRAME(8, 7)

static void *run(void *result)
{
	*(double *)result = frame_8(); /* 15 frames in all, down from _start */
	return NULL;
}

static double run_threads(int threads)
{
	pthread_t thread[MAX_THREADS];
	double result[MAX_THREADS], sum = 0;

	for (int i = 1; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, run, &result[i])) {
			fprintf(stderr, "deep_call: cannot start a thread\n");
			exit(1);
		}
	}
	run(&result[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < threads; i++)
		sum += result[i];
	return sum / threads;
}

/* Of this process alone: getrusage would count its starter's memory too. */
static long peak_memory_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static void choose(const char *name)
{
	if (!strcmp(name, "call"))
		operation = make_calls;
	else if (!strcmp(name, "chosen"))
		operation = make_chosen_calls;
	else if (!strcmp(name, "inside"))
		operation = make_calls_inside;
	else if (!strcmp(name, "chosen-inside"))
		operation = make_chosen_calls_inside;
	else if (!strcmp(name, "socket") && !socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		operation = pass_bytes;
	else if (!strcmp(name, "malloc"))
		operation = make_blocks;
	else if (!strcmp(name, "rdtsc"))
		operation = make_timed_calls;
#ifdef WITH_LIBUNWIND
	else if (!strcmp(name, "unwind"))
		operation = make_unwinds;
#endif
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 1;

	if (argc > 2)
		choose(argv[1]);
	calls_each = argc > 2 ? atol(argv[2]) / REPETITIONS : 0;
	if (!operation || calls_each < 1 || threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: deep_call call|chosen|socket|malloc|rdtsc|unwind CALLS "
				"[THREADS]\n");
		return 2;
	}
	printf("%.2f\n", run_threads(threads));
	printf("%ld\n", peak_memory_kb());
	return 0;
}
