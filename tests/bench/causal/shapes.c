// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

#include "tests/bench/causal/shapes.h"
#include "tests/bench/causal/work.h"

/* serial: a, b, c one after the other. */
static void serial(struct trial_thread *t)
{
	for (;;) {
		UNIT_BEGIN(t);
		work_a(trial_steps(t, 'a'));
		work_b(trial_steps(t, 'b'));
		work_c(trial_steps(t, 'c'));
		UNIT_END(t);
	}
}

static void start_serial(struct trial *t)
{
	trial_start(t, 0, serial);
}

/* pipeline: a in one thread, b in the next; `room` items may wait between them. */
static struct queue between;

static void first_stage(struct trial_thread *t)
{
	for (;;) {
		work_a(trial_steps(t, 'a'));
		queue_put(&between, t);
	}
}

static void second_stage(struct trial_thread *t)
{
	for (;;) {
		queue_take(&between);
		UNIT_BEGIN(t);
		work_b(trial_steps(t, 'b'));
		UNIT_END(t);
	}
}

static void start_pipeline(struct trial *t)
{
	queue_init(&between, t->room);
	trial_start(t, 0, first_stage);
	trial_start(t, 0, second_stage);
}

/* convoy: `clients` threads, a under a lock and b without it. */
static pthread_mutex_t convoy_lock = PTHREAD_MUTEX_INITIALIZER;

static void convoy(struct trial_thread *t)
{
	for (;;) {
		UNIT_BEGIN(t);
		pthread_mutex_lock(&convoy_lock);
		work_a(trial_steps(t, 'a'));
		pthread_mutex_unlock(&convoy_lock);
		work_b(trial_steps(t, 'b'));
		UNIT_END(t);
	}
}

static void start_convoy(struct trial *t)
{
	for (int i = 0; i < t->clients; i++)
		trial_start(t, i, convoy);
}

/* fork: a in one thread and b in another, c when both have ended. */
static struct queue forked, joined;

static void branch(struct trial_thread *t)
{
	for (;;) {
		queue_take(&forked);
		work_b(trial_steps(t, 'b'));
		queue_put(&joined, t);
	}
}

static void fork_and_join(struct trial_thread *t)
{
	for (;;) {
		UNIT_BEGIN(t);
		queue_put(&forked, t);
		work_a(trial_steps(t, 'a'));
		queue_take(&joined);
		work_c(trial_steps(t, 'c'));
		UNIT_END(t);
	}
}

static void start_fork(struct trial *t)
{
	queue_init(&forked, 1);
	queue_init(&joined, 1);
	trial_start(t, 0, branch);
	trial_start(t, 0, fork_and_join);
}

/* closed: `clients` think, work b, and wait for one of two workers that does a. */
static struct queue requests;
static sem_t answered[TRIAL_THREADS];

static void sleep_us(double us)
{
	long ns = (long)(us * 1e3);
	struct timespec left = {ns / 1000000000, ns % 1000000000};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static void client(struct trial_thread *t)
{
	sem_t *answer = &answered[t->number];

	for (;;) {
		sleep_us(trial_exponential(t, t->trial->think_us));
		UNIT_BEGIN(t);
		work_b(trial_steps(t, 'b'));
		queue_put(&requests, answer);
		while (sem_wait(answer) < 0)
			;
		UNIT_END(t);
	}
}

static void worker(struct trial_thread *t)
{
	for (;;) {
		sem_t *answer = queue_take(&requests);

		work_a(trial_steps(t, 'a'));
		sem_post(answer);
	}
}

static void start_closed(struct trial *t)
{
	queue_init(&requests, TRIAL_THREADS);
	for (int i = 0; i < t->clients; i++)
		sem_init(&answered[i], 0, 0);
	for (int i = 0; i < 2; i++)
		trial_start(t, i, worker);
	for (int i = 0; i < t->clients; i++)
		trial_start(t, i, client);
}

/* open: arrivals at random instants, `rate` a second; a, then b; idle until the next one. A unit
 * lasts from its arrival, its region from when it is served. */
static void sleep_until(uint64_t ns)
{
	struct timespec at = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static void server(struct trial_thread *t)
{
	double arrival = (double)trial_now_ns();

	for (;;) {
		arrival += trial_exponential(t, 1e9 / t->trial->rate);
		if ((double)trial_now_ns() < arrival)
			sleep_until((uint64_t)arrival);
		UNIT_BEGIN(t);
		t->from_ns = (uint64_t)arrival;
		work_a(trial_steps(t, 'a'));
		work_b(trial_steps(t, 'b'));
		UNIT_END(t);
	}
}

static void start_open(struct trial *t)
{
	trial_start(t, 0, server);
}

const struct shape shapes[] = {
	{"serial", start_serial, {100, 60, 40}, TRIAL_UNIFORM, 0, 0, 0, 0},
	{"pipeline", start_pipeline, {120, 200}, TRIAL_UNIFORM, 0, 16, 0, 0},
	{"balanced", start_pipeline, {200, 200}, TRIAL_UNIFORM, 0, 16, 0, 0},
	{"queue", start_pipeline, {150, 200}, TRIAL_EXPONENTIAL, 0, 4, 0, 0},
	{"convoy", start_convoy, {200, 60}, TRIAL_UNIFORM, 2, 0, 0, 0},
	{"fork", start_fork, {200, 60, 80}, TRIAL_UNIFORM, 0, 0, 0, 0},
	{"closed", start_closed, {300, 20}, TRIAL_EXPONENTIAL, 4, 0, 300, 0},
	{"open", start_open, {150, 100}, TRIAL_UNIFORM, 0, 0, 0, 1500},
	{0},
};
