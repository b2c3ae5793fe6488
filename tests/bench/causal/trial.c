// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/causal/trial.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#ifdef WITH_COZ /* a bench-only build: scprof needs nothing of Coz */
#include <coz.h>
#else
#define COZ_PROGRESS_NAMED(name) (void)0
#endif

static uint64_t next_random(struct trial_thread *t)
{
	t->random ^= t->random >> 12;
	t->random ^= t->random << 25;
	t->random ^= t->random >> 27;
	return t->random * UINT64_C(2685821657736338717); /* Marsaglia's xorshift64* */
}

double trial_uniform(struct trial_thread *t)
{
	return (double)((next_random(t) >> 11) + 1) * 0x1p-53;
}

double trial_exponential(struct trial_thread *t, double mean)
{
	return -mean * log(trial_uniform(t));
}

static double draw(struct trial_thread *t, double mean)
{
	switch (t->trial->law) {
	case TRIAL_CONSTANT:
		return mean;
	case TRIAL_UNIFORM:
		return mean * (0.5 + trial_uniform(t));
	default:
		return trial_exponential(t, mean);
	}
}

static void seed(struct trial_thread *t)
{
	t->draws = t->trial->draws;
	t->random =
		(t->trial->seed + t->draws + (uint64_t)t->stream) * UINT64_C(0x9e3779b97f4a7c15) |
		1;
	for (int i = 0; i < 8; i++)
		next_random(t);
}

uint64_t trial_steps(struct trial_thread *t, char site)
{
	const struct trial *of = t->trial;
	int i = site - 'a';

	if (t->draws != of->draws)
		seed(t);
	return (uint64_t)(draw(t, of->mean_us[i]) * (1 - of->faster[i]) * of->steps_us);
}

uint64_t trial_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void trial_begun(struct trial_thread *t)
{
	t->from_ns = trial_now_ns();
}

void trial_done(struct trial_thread *t)
{
	uint64_t now = trial_now_ns();

	__atomic_store_n(&t->units, t->units + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&t->units_ns, t->units_ns + now - t->from_ns, __ATOMIC_RELAXED);
	COZ_PROGRESS_NAMED("unit");
}

static void *enter(void *thread)
{
	struct trial_thread *t = thread;

	t->body(t);
	return NULL;
}

void trial_start(struct trial *t, int number, void (*body)(struct trial_thread *t))
{
	struct trial_thread *k = &t->thread[t->threads];
	pthread_t id;

	if (t->threads == TRIAL_THREADS)
		abort();
	*k = (struct trial_thread){
		.trial = t, .body = body, .number = number, .stream = ++t->threads};
	seed(k);
	if (pthread_create(&id, NULL, enter, k))
		abort();
}
