// SPDX-License-Identifier: GPL-3.0-or-later
/* What a switch to another task and back costs the fluid beyond its progress, with no
 * interrupt in it: a thread of the fluid's kind wakes a helper on its own CPU by a futex,
 * the helper goes to sleep at once, and the round goes on with 10 us of chunks. The same
 * round without a sleeper is taken off. Both are charged time less chunks, so an
 * interrupt in a chunk counts on both sides. */
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clocks_private.h"
#include "counter.h"
#include "displace_private.h"
#include "fluid_loop.h"

#define ROUNDS	   20 /* a block: a quarter of a millisecond, so that most have no preemption */
#define PAIRS	   301
#define CHUNKS	   40
#define LONGEST_NS UINT64_C(600000000)

struct pair {
	int cpu;
	double units_per_ns;
	atomic_uint word; /* the helper sleeps on it */
	atomic_bool stop;
	struct fluid_loop loop;
	double with[PAIRS], without[PAIRS]; /* seconds a round */
	size_t pairs;
	bool refused;
};

static long futex(atomic_uint *word, int operation, unsigned value)
{
	return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static bool settle(int cpu, int policy)
{
	const struct sched_param none = {0};
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return !sched_setaffinity(0, sizeof(one), &one) && !sched_setscheduler(0, policy, &none);
}

static void *helper(void *argument)
{
	struct pair *p = argument;
	unsigned seen = 0;

	if (!settle(p->cpu, SCHED_OTHER))
		p->refused = true;
	while (!atomic_load(&p->stop)) {
		futex(&p->word, FUTEX_WAIT, seen);
		seen = atomic_load(&p->word);
	}
	return NULL;
}

static uint64_t charged_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Charged time of a round less its chunks. */
static double block(struct pair *p, atomic_uint *word)
{
	const int go_on = 0;
	uint64_t chunks = 0, begin = charged_ns();

	for (int i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(word, 1);
		futex(word, FUTEX_WAKE, 1);
		uint64_t from = fluid_now();
		fluid_loop_count(&p->loop, CHUNKS, &go_on);
		chunks += fluid_now() - from;
	}
	double charged = (double)(charged_ns() - begin);
	return (charged - (double)chunks / p->units_per_ns) / ROUNDS / 1e9;
}

static void *measure(void *argument)
{
	struct pair *p = argument;
	uint64_t end = clocks_raw_ns() + LONGEST_NS;
	atomic_uint nobody = 0;

	fluid_loop_begin(&p->loop, p->units_per_ns);
	if (!settle(p->cpu, SCHED_IDLE))
		p->refused = true;
	while (!p->refused && p->pairs < PAIRS && clocks_raw_ns() < end) {
		p->with[p->pairs] = block(p, &p->word);
		p->without[p->pairs] = block(p, &nobody);
		p->pairs++;
	}
	atomic_store(&p->stop, true);
	atomic_fetch_add(&p->word, 1);
	futex(&p->word, FUTEX_WAKE, 1);
	return NULL;
}

struct displacement_value displace_switch_cost(int cpu, double units_per_ns)
{
	const struct displacement_value unknown = {0, INFINITY, 1};
	struct displacement_value cost = unknown;
	struct pair *p = calloc(1, sizeof(*p));
	pthread_t helping, measuring;
	sigset_t all, before;
	double scratch[PAIRS];

	if (!p)
		return unknown;
	p->cpu = cpu;
	p->units_per_ns = units_per_ns;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&helping, NULL, helper, p)) {
		if (!pthread_create(&measuring, NULL, measure, p)) {
			pthread_join(measuring, NULL);
		} else {
			atomic_store(&p->stop, true);
			atomic_fetch_add(&p->word, 1);
			futex(&p->word, FUTEX_WAKE, 1);
		}
		pthread_join(helping, NULL);
		cost = displacement_switching(p->with, p->without, p->pairs, scratch);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(p);
	return isfinite(cost.error) ? cost : unknown;
}
