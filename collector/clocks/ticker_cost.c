// SPDX-License-Identifier: GPL-3.0-or-later
/* The child and the thread run on the CPU of the caller. Each of them ends by itself after
 * MOST_NS. */
#include "collector/clocks/ticker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_private.h"
#include "collector/clocks/clocks_read.h"

#define APART_NS  UINT64_C(150000)
#define MOST_NS	  UINT64_C(60000000)
#define WAIT_NS	  UINT64_C(20000000) /* for the child */
#define LEAST_GAP UINT64_C(500)	     /* ns: more than reading a clock takes */
#define MOST_GAPS 2048
#define ASK_AGAIN 50000 /* ns */
/* A gap of so many times the CPU time of the thread that ticks has others' work in it, too. */
#define MOST_TIMES  3
#define NS_A_SECOND UINT64_C(1000000000)

struct meeting {
	atomic_bool begun, over;
	int cpu;
	uint64_t cpu_ns, at[TICKER_COST_TICKS];
	size_t ticks, gaps;
	struct ticker_cost_gap gap[MOST_GAPS];
};

static void watch_the_clock(struct meeting *m)
{
	uint64_t last = clocks_read_ns(CLOCK_MONOTONIC), end = last + MOST_NS;

	cpus_pin(m->cpu);
	setpriority(PRIO_PROCESS, 0, -20);
	atomic_store(&m->begun, true);
	while (last < end && !atomic_load_explicit(&m->over, memory_order_relaxed)) {
		uint64_t now = clocks_read_ns(CLOCK_MONOTONIC);

		if (now - last > LEAST_GAP && m->gaps < MOST_GAPS)
			m->gap[m->gaps++] = (struct ticker_cost_gap){last, now};
		last = now;
	}
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = {.tv_sec = (time_t)(at_ns / NS_A_SECOND),
			      .tv_nsec = (long)(at_ns % NS_A_SECOND)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void *tick(void *argument)
{
	struct meeting *m = argument;
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC), end = now + WAIT_NS;

	while (!atomic_load(&m->begun) && now < end) {
		sleep_until(now + ASK_AGAIN);
		now = clocks_read_ns(CLOCK_MONOTONIC);
	}
	cpus_pin(m->cpu);
	ticker_raise_priority();
	m->cpu_ns = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
	end = now + MOST_NS;
	for (; m->ticks < TICKER_COST_TICKS && now < end; m->ticks++) {
		sleep_until(now + APART_NS);
		m->at[m->ticks] = now = clocks_read_ns(CLOCK_MONOTONIC);
	}
	m->cpu_ns = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID) - m->cpu_ns;
	atomic_store(&m->over, true);
	return NULL;
}

static void meet(struct meeting *m)
{
	pthread_t thread;
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		return;
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			watch_the_clock(m);
		_exit(0);
	}
	if (!pthread_create(&thread, NULL, tick, m))
		pthread_join(thread, NULL);
	atomic_store(&m->over, true);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static int by_size(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

uint64_t ticker_cost_median(const struct ticker_cost_gap *gap, size_t gaps, const uint64_t *at,
			    size_t instants, uint64_t most_ns)
{
	uint64_t length[TICKER_COST_TICKS];
	size_t found = 0;

	for (size_t i = 0, g = 0; i < instants && i < TICKER_COST_TICKS; i++) {
		while (g < gaps && gap[g].to_ns < at[i])
			g++;
		if (g < gaps && gap[g].from_ns <= at[i] && gap[g].to_ns - gap[g].from_ns <= most_ns)
			length[found++] = gap[g].to_ns - gap[g].from_ns;
	}
	if (!found)
		return 0;
	qsort(length, found, sizeof(*length), by_size);
	return length[found / 2];
}

void ticker_cost_measure(struct ticker_cost *c)
{
	struct meeting *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	*c = (struct ticker_cost){0};
	if (m == MAP_FAILED)
		return;
	m->cpu = sched_getcpu();
	if (m->cpu >= 0)
		meet(m);
	if (m->ticks) {
		c->cpu_ns = m->cpu_ns / m->ticks;
		c->taken_ns = ticker_cost_median(m->gap, m->gaps, m->at, m->ticks,
						 MOST_TIMES * c->cpu_ns);
		/* The child had no CPU to itself: what the thread took is less, but known. */
		if (!c->taken_ns)
			c->taken_ns = c->cpu_ns;
	}
	munmap(m, sizeof(*m));
}

uint64_t ticker_cost_hits(uint64_t ticks, uint64_t ran_ns, uint64_t cpu_ns, uint64_t involuntary)
{
	if (cpu_ns < ran_ns)
		ticks = (uint64_t)((double)ticks * (double)cpu_ns / (double)ran_ns + 0.5);
	return ticks < involuntary ? ticks : involuntary;
}

uint64_t ticker_cost_least_tick(const struct ticker_cost *c)
{
	uint64_t tick = (uint64_t)((double)c->taken_ns / TICKER_COST_SHARE), digit = 1;

	while (tick / digit >= 100)
		digit *= 10;
	tick = (tick + digit - 1) / digit * digit;
	return tick < TICKER_MAX_NS ? tick : TICKER_MAX_NS;
}
