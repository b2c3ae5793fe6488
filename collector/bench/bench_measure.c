// SPDX-License-Identifier: GPL-3.0-or-later
/* The procedure: first call, warm-up, doubling, replications.
 *
 * "Always execute the function once to warm up the cache; keep doubling the number of times until
 * some threshold is reached" (Bryant and O'Hallaron); then Feitelson's double loop, in which loops
 * of the subject and of its empty counterpart alternate, so that both meet the same noise. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/counter.h"
#include "collector/bench/bench_subject.h"

/* Used by everything that runs in the child: each part can refuse. */

int bench_measure_refuse(struct bench_record *r, enum bench_end end, const char *format, ...)
{
	FORMAT_BY(vsnprintf, r->why, sizeof(r->why), format);
	r->refused = (uint32_t)end;
	return -1;
}

#define CALLS_MOST ((uint64_t)1 << 48)
#define EMPTY	   true

static uint64_t now(const struct bench_plan *plan)
{
	return plan->clock == SCP_CLOCK_TSC ? counter_read_ordered()
					    : clocks_read_ns(CLOCK_MONOTONIC);
}

/* One loop, and how long it took. 0, or -1. */
static int time_loop(struct bench_subject *s, bool empty, unsigned int turn, uint64_t calls,
		     uint64_t *took)
{
	s->record->loop_began_ns = clocks_read_ns(CLOCK_MONOTONIC);
	uint64_t from = now(s->plan);
	int result = empty ? s->run_empty(s, calls, turn) : s->run(s, calls);
	*took = now(s->plan) - from;
	return result;
}

static int warm_up(struct bench_subject *s)
{
	uint64_t took;

	s->record->warmup_calls++;
	return time_loop(s, !EMPTY, 0, 1, &took);
}

/* A function that forks returns twice, and both processes would go on with the loop: detected after
 * one call, before there are many. Both call this. */
static int refuse_children(struct bench_subject *s)
{
	siginfo_t info;

	if (getpid() != s->process)
		_exit(0);
	if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) && errno == ECHILD)
		return 0;
	return bench_measure_refuse(
		s->record, BENCH_DIED,
		"the function leaves a child process behind, so it cannot be called in a loop");
}

/* Finds the number of calls that lasts long enough, twice in a row: an interruption may make one
 * short loop look long. */
static int double_calls(struct bench_subject *s)
{
	uint64_t calls = 1, took;

	s->record->phase = BENCH_DOUBLING;
	for (;; calls *= 2) {
		int passed = 0;

		s->record->calls = calls;
		if (calls > 1 && warm_up(s))
			return -1;
		do {
			if (time_loop(s, !EMPTY, 0, calls, &took))
				return -1;
			s->record->warmup_calls += calls;
		} while ((double)took * s->plan->ns_per_unit >= (double)s->plan->min_time_ns &&
			 ++passed < 2);
		if (passed == 2 || calls >= CALLS_MOST)
			return 0;
	}
}

static uint32_t switches(const struct bench_subject *s)
{
	struct rusage usage;

	return getrusage(s->rusage_who, &usage) ? 0 : (uint32_t)usage.ru_nivcsw;
}

static int replicate_subject(struct bench_subject *s, struct bench_replication *r)
{
	uint64_t calls = s->record->calls;

	/* the empty loop has just run; a loop of one call follows the last one closely enough */
	if (calls > 1 && warm_up(s))
		return -1;
	uint32_t before = switches(s);
	int result = time_loop(s, !EMPTY, 0, calls, &r->subject);
	r->switches = switches(s) - before;
	return result;
}

static int replicate_empty(struct bench_subject *s, struct bench_replication *r, unsigned int turn)
{
	return s->run_empty(s, 1, turn) || time_loop(s, EMPTY, turn, s->record->calls, &r->empty)
		       ? -1
		       : 0;
}

/* The order alternates, so that neither always runs with the other's caches. */
static int replicate_all(struct bench_subject *s)
{
	struct bench_record *r = s->record;
	uint64_t began = clocks_read_ns(CLOCK_MONOTONIC);

	r->phase = BENCH_REPLICATING;
	r->steal_from = cpu_times_steal_read();
	for (uint32_t i = 0; i < s->plan->replications; i++) {
		struct bench_replication *one = &r->replications[i];

		r->replication = i;
		one->began_ns = clocks_read_ns(CLOCK_MONOTONIC) - began;
		if (i % 2 ? replicate_subject(s, one) || replicate_empty(s, one, i)
			  : replicate_empty(s, one, i) || replicate_subject(s, one))
			return -1;
	}
	r->took_ns = clocks_read_ns(CLOCK_MONOTONIC) - began;
	r->steal_to = cpu_times_steal_read();
	return 0;
}

int bench_measure(struct bench_subject *s)
{
	s->process = getpid();
	s->record->phase = BENCH_FIRST;
	s->record->warmup_calls = 1;
	if (time_loop(s, !EMPTY, 0, 1, &s->record->first) ||
	    (s->plan->library && refuse_children(s)))
		return -1;
	s->record->phase = BENCH_WARMING;
	for (uint32_t i = 1; i < s->plan->warmup; i++)
		if (warm_up(s))
			return -1;
	if (double_calls(s) || replicate_all(s))
		return -1;
	s->record->phase = BENCH_FINISHED;
	return 0;
}
