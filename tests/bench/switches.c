// SPDX-License-Identifier: GPL-3.0-or-later
/* What tells a thread that it lost its CPU, against what the kernel counts (getrusage), without
 * scprof; and what it costs: docs/results/estimates.txt.
 *
 * Usage: switches compare CALLS    the rseq_cs field, and the lock words of perf events
 *        switches calls CALLS      calls to watch by scprof: send, recv, some of ppoll that sleep
 *        switches price ROUNDS     of a switch: two processes on one CPU that wake each other
 * Prints one JSON object.
 *
 * The kernel clears rseq_cs, where it points at a sequence that the thread is not in, before the
 * thread runs again (Linux, kernel/rseq.c); it raises `lock` in a perf event's page when it puts
 * the event on a CPU (kernel/events/core.c, perf_event_update_userpage). */
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/bench/accounts.h"

#define SLEEP_EVERY 1000 /* calls */

/* ---- the detectors ---- */

static const struct {
	const char *name;
	uint64_t config;
} kinds[] = {{"dummy", PERF_COUNT_SW_DUMMY},
	     {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
	     {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES}};
#define KINDS	  3
#define DETECTORS (1 + KINDS)

static struct event {
	int fd;
	volatile struct perf_event_mmap_page *page;
} events[KINDS];

static void open_event(int kind, bool map)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = kinds[kind].config,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	struct event *e = &events[kind];
	void *page = MAP_FAILED;

	e->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (e->fd >= 0 && map)
		page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, e->fd, 0);
	e->page = page == MAP_FAILED ? NULL : page;
}

static volatile struct rseq *own_rseq(void)
{
	return __rseq_size ? (void *)((char *)__builtin_thread_pointer() + __rseq_offset) : NULL;
}

/* Of a sequence that no thread is ever in. The kernel looks for the signature before abort_ip. */
static const struct {
	uint32_t signature, after;
} aborts = {RSEQ_SIG, 0};
static struct rseq_cs elsewhere;

static void aim_elsewhere(void)
{
	elsewhere.start_ip = (uint64_t)(uintptr_t)&elsewhere;
	elsewhere.post_commit_offset = 1;
	elsewhere.abort_ip = (uint64_t)(uintptr_t)&aborts.after;
}

/* ---- against getrusage ---- */

static struct tally {
	long seen, missed, unfounded, unfounded_same_cpu;
} tally[DETECTORS];

static long switches_of_thread(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

static void operate(long i)
{
	struct timespec pause = {.tv_nsec = 1};

	if (i % SLEEP_EVERY == 0)
		nanosleep(&pause, NULL);
	else if (i % SLEEP_EVERY == SLEEP_EVERY / 2)
		sched_yield();
	else
		syscall(SYS_getppid);
}

struct span {
	long wide, narrow; /* getrusage's count, outside and inside of the detectors' time */
	int cpu;
	uint32_t lock[KINDS];
};

static void judge(int detector, bool seen, bool narrow, bool wide, bool moved)
{
	struct tally *t = &tally[detector];

	t->seen += seen;
	t->missed += narrow && !seen;
	t->unfounded += seen && !wide;
	t->unfounded_same_cpu += seen && !wide && !moved;
}

/* Returns whether the thread was switched. Missed: within the shorter span. Unfounded: not even
 * within the longer one. So neither is due to where the spans end. */
static bool compare_one(long i, volatile struct rseq *rseq)
{
	struct span from, to;
	bool cleared, narrow, wide, moved;

	from.wide = switches_of_thread();
	from.cpu = sched_getcpu();
	if (rseq)
		rseq->rseq_cs = (uint64_t)(uintptr_t)&elsewhere;
	for (int k = 0; k < KINDS; k++)
		from.lock[k] = events[k].page ? events[k].page->lock : 0;
	from.narrow = switches_of_thread();
	operate(i);
	to.narrow = switches_of_thread();
	for (int k = 0; k < KINDS; k++)
		to.lock[k] = events[k].page ? events[k].page->lock : 0;
	cleared = rseq && !rseq->rseq_cs;
	to.cpu = sched_getcpu();
	to.wide = switches_of_thread();
	narrow = to.narrow != from.narrow;
	wide = to.wide != from.wide;
	moved = to.cpu != from.cpu;
	if (rseq)
		judge(0, cleared, narrow, wide, moved);
	for (int k = 0; k < KINDS; k++)
		if (events[k].page)
			judge(1 + k, to.lock[k] != from.lock[k], narrow, wide, moved);
	return narrow;
}

static void print_tally(bool rseq)
{
	for (int d = 0; d < DETECTORS; d++) {
		const struct tally *t = &tally[d];

		printf("%s\"%s\": ", d ? ", " : "", d ? kinds[d - 1].name : "rseq");
		if (d ? !events[d - 1].page : !rseq)
			printf("null");
		else
			printf("{\"seen\": %ld, \"missed\": %ld, \"unfounded\": %ld, "
			       "\"unfounded_same_cpu\": %ld}",
			       t->seen, t->missed, t->unfounded, t->unfounded_same_cpu);
	}
}

static int compare(long calls)
{
	volatile struct rseq *rseq = own_rseq();
	long switched = 0;

	aim_elsewhere();
	for (int k = 0; k < KINDS; k++)
		open_event(k, true);
	for (long i = 0; i < calls; i++)
		switched += compare_one(i, rseq);
	if (rseq)
		rseq->rseq_cs = 0;
	printf("{\"calls\": %ld, \"switched\": %ld, \"detectors\": {", calls, switched);
	print_tally(rseq != NULL);
	puts("}}");
	return 0;
}

/* ---- calls for scprof to watch ---- */

static int make_calls(long calls)
{
	struct timespec pause = {.tv_nsec = 1};
	long before = switches_of_thread();
	int pair[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	for (long i = 0; i < calls / 2; i++) {
		if (i % (SLEEP_EVERY / 2) == 0)
			ppoll(NULL, 0, &pause, NULL);
		if (send(pair[0], &byte, 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1)
			return 1;
	}
	printf("{\"calls\": %ld, \"switched\": %ld}\n", calls / 2 * 2,
	       switches_of_thread() - before);
	return 0;
}

/* ---- what an event costs a switch ---- */

enum { NO_EVENT, OPEN, MAPPED, WAYS };
static const char *const way_name[WAYS] = {"none", "open", "mapped"};

static void drop_event(int kind)
{
	struct event *e = &events[kind];

	if (e->page)
		munmap((void *)e->page, (size_t)sysconf(_SC_PAGESIZE));
	if (e->fd >= 0)
		close(e->fd);
}

/* Half of a pair: `first` writes before it reads. */
static void bounce(int from, int to, long rounds, bool first)
{
	char byte = 0;

	if (first && write(to, &byte, 1) != 1)
		exit(1);
	for (long i = 0; i < rounds; i++)
		if (read(from, &byte, 1) != 1 ||
		    (!(first && i == rounds - 1) && write(to, &byte, 1) != 1))
			exit(1);
}

/* ns a switch; negative: the event cannot be had. Each of the two processes has its own. */
static double price_one(int kind, int way, long rounds)
{
	int there[2], back[2];
	bool had;
	pid_t child;

	if (pipe(there) || pipe(back) || (child = fork()) < 0)
		exit(1);
	if (way != NO_EVENT)
		open_event(kind, way == MAPPED);
	if (child == 0) {
		bounce(there[0], back[1], rounds / 10, false);
		bounce(there[0], back[1], rounds, false);
		_exit(0);
	}
	had = way == NO_EVENT || (events[kind].fd >= 0 && (way == OPEN || events[kind].page));
	bounce(back[0], there[1], rounds / 10, true); /* to warm up */
	uint64_t from = now_ns(CLOCK_MONOTONIC);
	bounce(back[0], there[1], rounds, true);
	double ns = (double)(now_ns(CLOCK_MONOTONIC) - from) / (double)rounds / 2;
	waitpid(child, NULL, 0);
	if (way != NO_EVENT)
		drop_event(kind);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
	return had ? ns : -1;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All ways in turn, over and over, so that the machine's drift falls on all alike. */
static int price(long rounds)
{
	enum { TIMES = 21, VARIANTS = 1 + KINDS * (WAYS - 1) };
	static double ns[VARIANTS][TIMES];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < TIMES; i++)
		for (int v = 0; v < VARIANTS; v++)
			ns[v][i] = price_one(v ? (v - 1) / 2 : 0, v ? OPEN + (v - 1) % 2 : NO_EVENT,
					     rounds / TIMES + 1);
	putchar('{');
	for (int v = 0; v < VARIANTS; v++) {
		qsort(ns[v], TIMES, sizeof(double), by_size);
		if (v)
			printf(", \"%s, %s\": ", kinds[(v - 1) / 2].name,
			       way_name[OPEN + (v - 1) % 2]);
		else
			printf("\"none\": ");
		if (ns[v][0] < 0)
			printf("null");
		else
			printf("[%.1f, %.1f, %.1f]", ns[v][TIMES / 2], ns[v][TIMES / 4],
			       ns[v][3 * TIMES / 4]);
	}
	puts("}");
	return 0;
}

int main(int argc, char **argv)
{
	long count = argc == 3 ? atol(argv[2]) : 0;

	if (count > 0 && !strcmp(argv[1], "compare"))
		return compare(count);
	if (count > 0 && !strcmp(argv[1], "calls"))
		return make_calls(count);
	if (count > 0 && !strcmp(argv[1], "price"))
		return price(count);
	fprintf(stderr, "usage: switches compare|calls|price COUNT\n");
	return 2;
}
