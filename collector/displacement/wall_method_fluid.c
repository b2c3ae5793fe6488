// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads stand for processes: they share no memory that their loop touches, and end with
 * scprof however it ends. */
#include "collector/displacement/wall_method.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "collector/clocks/clocks_read.h"
#include "stats/mean/replications.h"
#include "collector/displacement/fluid/fluid_private.h"
#include "collector/machine/cpus.h"

#define COLD_BYTES  (16u << 20)
#define COLD_ROUNDS 15

struct one {
	struct wall_method_fluid *all;
	pthread_t thread;
	bool started;
	int cpu, error, ended;
	uint64_t loops;
	struct fluid_loop loop;
	struct wall_method_fluid_run run;
};

struct wall_method_fluid {
	sem_t begun;
	int stop;
	size_t count;
	struct one one[];
};

/* Loops of a quarter of a microsecond by the counter of a usual processor; which, does not
 * matter. */
static void prepare(struct fluid_loop *l)
{
	fluid_loop_begin(l, 2.5);
}

struct wall_method_fluid *wall_method_fluid_make(const cpu_set_t *cpus)
{
	size_t count = (size_t)CPU_COUNT(cpus), at = 0;
	struct wall_method_fluid *f = calloc(1, sizeof(*f) + count * sizeof(f->one[0]));
	struct fluid_loop loop;

	if (!f)
		return NULL;
	sem_init(&f->begun, 0, 0);
	f->count = count;
	prepare(&loop);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			f->one[at++] = (struct one){.all = f, .cpu = cpu, .loop = loop};
	return f;
}

size_t wall_method_fluid_count(const struct wall_method_fluid *f)
{
	return f->count;
}

static uint64_t switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

static void *run(void *argument)
{
	struct one *o = argument;
	uint64_t before;

	o->error = cpus_pin(o->cpu) ? errno : 0;
	pthread_setname_np(pthread_self(), "scprof-wall");
	sem_post(&o->all->begun);
	if (o->error)
		return NULL;
	before = switches();
	o->run.began = clocks_read_seconds();
	o->run.loops = fluid_loop_count(&o->loop, o->loops ? o->loops : UINT64_MAX, &o->all->stop);
	o->run.ended = clocks_read_seconds();
	o->run.intervals = switches() - before + 1;
	__atomic_store_n(&o->ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

int wall_method_fluid_start(struct wall_method_fluid *f, const uint64_t *loops)
{
	sigset_t all, before;
	int error = 0;

	f->stop = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = 0; i < f->count && !error; i++) {
		struct one *o = &f->one[i];

		o->loops = loops[i];
		o->ended = 0;
		o->loop.counted = 0;
		error = pthread_create(&o->thread, NULL, run, o);
		o->started = !error;
		while (!error && sem_wait(&f->begun))
			continue;
		error = error ? error : o->error;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		wall_method_fluid_finish(f);
	errno = error;
	return error ? -1 : 0;
}

bool wall_method_fluid_ended(const struct wall_method_fluid *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (!__atomic_load_n(&f->one[i].ended, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

bool wall_method_fluid_any_ended(const struct wall_method_fluid *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (__atomic_load_n(&f->one[i].ended, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

uint64_t wall_method_fluid_done(const struct wall_method_fluid *f, size_t i)
{
	return __atomic_load_n(&f->one[i].loop.counted, __ATOMIC_RELAXED);
}

void wall_method_fluid_finish(struct wall_method_fluid *f)
{
	__atomic_store_n(&f->stop, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < f->count; i++)
		if (f->one[i].started) {
			pthread_join(f->one[i].thread, NULL);
			f->one[i].started = false;
		}
}

struct wall_method_fluid_run wall_method_fluid_result(const struct wall_method_fluid *f, size_t i)
{
	return f->one[i].run;
}

double wall_method_fluid_first_loop(void)
{
	unsigned char *other = malloc(COLD_BYTES);
	double extra[COLD_ROUNDS];
	struct fluid_loop loop;
	const int go_on = 0;

	if (!other)
		return 0;
	prepare(&loop);
	for (int i = 0; i < COLD_ROUNDS; i++) {
		memset(other, i, COLD_BYTES);
		double begin = clocks_read_seconds();
		fluid_loop_count(&loop, 1, &go_on);
		double first = clocks_read_seconds();
		fluid_loop_count(&loop, 1, &go_on);
		extra[i] = first - begin - (clocks_read_seconds() - first);
	}
	free(other);
	return fmax(0, replications_median(extra, COLD_ROUNDS));
}

void wall_method_fluid_free(struct wall_method_fluid *f)
{
	sem_destroy(&f->begun);
	free(f);
}
