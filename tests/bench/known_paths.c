// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls an empty library function from very many call paths, and prints the CPU time of the thread
 * a call in nanoseconds, and then CLOCK_MONOTONIC in nanoseconds as its last act.
 *
 * Usage: known_paths same|apart|new FRAMES PATHS CALLS
 *   same   from PATHS call paths (a power of two) in turn, that differ in frames further out: the
 *          stack pointer and the return address at the call are the same for all
 *   apart  the same, from 16 places of the program and 64 positions of the stack
 *   new    from PATHS call paths, each once; CALLS is ignored
 * same and apart: the median of 21 repetitions, after one that is not timed. FRAMES are those of a
 * call path, _start's included. Built WITH_LIBUNWIND, it calls unw_backtrace instead.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifdef WITH_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#define REPETITIONS 21
#define OUTER	    4  /* frames: main and what is around it */
#define PLACES	    16 /* of the call */
#define POSITIONS   64 /* of the stack */
#define MOST_FRAMES 60

static volatile int sink;

static inline void call(void)
{
#ifdef WITH_LIBUNWIND
	void *frame[64];

	sink = unw_backtrace(frame, 64);
#else
	send(-1, NULL, 0, 0);
#endif
	__asm__ volatile("" ::: "memory"); /* not the last act of the function */
}

/* Empty comments keep the compiler from making one function of them all. */
#define PLACE(n)                                                                                   \
	__attribute__((noinline)) static void place_##n(void)                                      \
	{                                                                                          \
		__asm__ volatile("# place " #n);                                                   \
		call();                                                                            \
	}
#define EACH_PLACE(DO)                                                                             \
	DO(0)                                                                                      \
	DO(1)                                                                                      \
	DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
EACH_PLACE(PLACE)
#define ADDRESS(n) place_##n,
static void (*const place[PLACES])(void) = {EACH_PLACE(ADDRESS)};

/* Left and right are alike but for their addresses: the bits of the path's number say which. */
static void left(uint32_t path, uint32_t depth, uint32_t which);
static void right(uint32_t path, uint32_t depth, uint32_t which);

#define TURN(name)                                                                                 \
	__attribute__((noinline)) static void name(uint32_t path, uint32_t depth, uint32_t which)  \
	{                                                                                          \
		__asm__ volatile("# " #name);                                                      \
		if (!depth)                                                                        \
			place[which]();                                                            \
		else if (path & 1)                                                                 \
			right(path >> 1, depth - 1, which);                                        \
		else                                                                               \
			left(path >> 1, depth - 1, which);                                         \
		__asm__ volatile("" ::: "memory");                                                 \
	}
TURN(left)
TURN(right)

/* The first turn is taken where this is inlined. */
static inline void take_turns(uint32_t path, uint32_t turns, uint32_t which)
{
	(path & 1 ? right : left)(path >> 1, turns - 1, which);
	__asm__ volatile("" ::: "memory");
}

/* A frame whose size differs: 16 bytes are the least that the stack moves by. */
__attribute__((noinline)) static void take_shifted(uint32_t path, uint32_t turns)
{
	char *volatile room = __builtin_alloca(16 * (path / PLACES % POSITIONS + 1));

	*room = 0;
	take_turns(path / PLACES, turns - 1, path % PLACES);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* An odd factor makes neighbours differ in many frames. */
static inline void make_calls(bool apart, uint32_t turns, uint32_t paths, long calls)
{
	for (long i = 0; i < calls; i++) {
		uint32_t path = (uint32_t)i * 619 & (paths - 1);

		if (apart)
			take_shifted(path, turns);
		else
			take_turns(path, turns, 0);
	}
}

/* The repetition that is not timed takes every path, from the same place in the program. */
static inline double known(bool apart, uint32_t turns, uint32_t paths, long calls)
{
	double ns[REPETITIONS] = {0};

	for (int i = -1; i < REPETITIONS; i++) {
		long part = calls / REPETITIONS + (i < 0 ? 4L * paths : 0);
		uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		make_calls(apart, turns, paths, part);
		if (i >= 0)
			ns[i] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from) / (double)part;
	}
	qsort(ns, REPETITIONS, sizeof *ns, by_size);
	return ns[REPETITIONS / 2];
}

static inline double once_each(uint32_t turns, uint32_t paths)
{
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (uint32_t path = 0; path < paths; path++)
		take_turns(path, turns, 0);
	return (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from) / paths;
}

int main(int argc, char **argv)
{
	uint32_t frames = argc == 5 ? (uint32_t)atol(argv[2]) : 0;
	uint32_t paths = argc == 5 ? (uint32_t)atol(argv[3]) : 0;
	long calls = argc == 5 ? atol(argv[4]) : 0;
	uint32_t turns = frames - OUTER - 1; /* the place has a frame, too */

	if (frames < 10 || frames > MOST_FRAMES || !paths || calls < REPETITIONS)
		errx(2, "usage: known_paths same|apart|new FRAMES PATHS CALLS");
	if (strcmp(argv[1], "new") && (paths & (paths - 1)))
		errx(2, "%u is no power of two", paths);
	if (turns < 32 && paths > UINT32_C(1) << turns)
		errx(2, "so many paths need more frames");
	sink = send(-1, NULL, 0, 0) != 0; /* the linker's work for it is no path's */
	if (!strcmp(argv[1], "new"))
		printf("%.2f", once_each(turns, paths));
	else
		printf("%.2f", known(!strcmp(argv[1], "apart"), turns, paths, calls));
	printf(" %llu\n", (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	return 0;
}
