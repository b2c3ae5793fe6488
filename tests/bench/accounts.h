// SPDX-License-Identifier: GPL-3.0-or-later
/* What the kernel says of the calling thread. */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct reading {
	uint64_t mono, cpu, delay;
	long waits, losses; /* voluntary and involuntary switches */
};

static int schedstat = -1; /* of one thread: open_accounts */

static inline uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Raw, because what is preloaded may time the wrappers. */
static inline void open_accounts(void)
{
	schedstat = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat",
				 O_RDONLY | O_CLOEXEC);
}

static inline uint64_t run_delay_ns(void)
{
	char text[96];
	unsigned long long ran, delay = 0;
	long n = syscall(SYS_pread64, schedstat, text, sizeof(text) - 1, 0L);

	if (n <= 0)
		return 0;
	text[n] = 0;
	return sscanf(text, "%llu %llu", &ran, &delay) == 2 ? delay : 0;
}

static inline void read_switches(struct reading *r)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	r->waits = u.ru_nvcsw;
	r->losses = u.ru_nivcsw;
}

/* Elapsed time has both readings whole; CPU time only the last one, which is made with cold caches
 * after a sleep: what it takes then is not taken for sleep. Its parts are of one instant. */
static inline void read_first(struct reading *r)
{
	r->mono = now_ns(CLOCK_MONOTONIC);
	r->delay = run_delay_ns();
	read_switches(r);
	r->cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline void read_last(struct reading *r)
{
	struct reading before;

	read_switches(r);
	do {
		before = *r;
		r->delay = run_delay_ns();
		r->cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
		read_switches(r);
	} while (r->waits != before.waits || r->losses != before.losses);
	r->mono = now_ns(CLOCK_MONOTONIC);
}

static inline int by_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Elapsed less CPU time of two readings with nothing between them: the median. */
static inline uint64_t readings_cost(void)
{
	enum { TIMES = 1001 };
	static uint64_t ns[TIMES];
	struct reading first, last;

	for (int i = 0; i < TIMES; i++) {
		read_first(&first);
		read_last(&last);
		ns[i] = last.mono - first.mono - (last.cpu - first.cpu);
	}
	qsort(ns, TIMES, sizeof *ns, by_ns);
	return ns[TIMES / 2];
}

#endif
