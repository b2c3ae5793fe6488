// SPDX-License-Identifier: GPL-3.0-or-later
/* Starts and ends the threads, and answers other threads. fluid_thread.c has the code that the
 * threads run. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks.h"
#include "profile/base/counter.h"
#include "collector/displacement/fluid/fluid_private.h"
#include "collector/machine/cpus.h"
#include "collector/shared_page.h"
#include "profile/base/error.h"

#define CALIBRATION_US 20000

static struct fluid *make(const struct fluid_options *o, struct profile_error *err)
{
	size_t count = (size_t)CPU_COUNT(&o->cpus), at = 0;
	struct fluid *f = calloc(1, sizeof(*f) + count * sizeof(f->thread[0]));

	if (!f) {
		error_set(err, "out of memory for the fluid");
		return NULL;
	}
	f->options = *o;
	sem_init(&f->ready, 0, 0);
	f->units_per_ns = clocks_measure_rate_for(counter_read_ordered, CALIBRATION_US, &f->origin);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &o->cpus)) {
			f->thread[at].fluid = f;
			f->thread[at].cpu = cpu;
			f->thread[at++].schedstat = -1;
		}
	return f;
}

struct fluid *fluid_start(const struct fluid_options *o, struct profile_error *err)
{
	char why[256];

	if (!clocks_verdict_trusts_counter(why, sizeof(why))) {
		error_set(err, "%.200s, and the fluid measures its chunks with it", why);
		return NULL;
	}
	struct fluid *f = make(o, err);
	if (!f)
		return NULL;
	for (struct fluid_thread *t = f->thread; t < f->thread + CPU_COUNT(&o->cpus); t++) {
		int error = shared_page_start_thread(&t->thread, fluid_thread_main, t);

		f->count += !error;
		while (!error && sem_wait(&f->ready))
			continue;
		if (error)
			error_set(&t->refused, "cannot start a thread on CPU %d: %s", t->cpu,
				  strerror(error));
		if (*t->refused.text) {
			*err = t->refused;
			fluid_stop(f);
			return NULL;
		}
	}
	/* once all threads run: those that have moved wait behind all others */
	f->apart = !fluid_group_make(&f->group, CGROUP_MOUNT, CGROUP_FILE);
	for (size_t i = 0; i < f->count && f->apart; i++)
		f->apart = !fluid_group_join(&f->group, f->thread[i].tid);
	return f;
}

void fluid_stop(struct fluid *f)
{
	const struct sched_param none = {0};
	cpu_set_t anywhere;

	atomic_store_explicit(&f->stop, true, memory_order_relaxed);
	/* where other tasks hold its CPU, a thread would reach its end seconds late; the class
	 * of all others is open to it again where RLIMIT_NICE or a capability allows it */
	if (!sched_getaffinity(0, sizeof(anywhere), &anywhere))
		for (size_t i = 0; i < f->count; i++) {
			sched_setaffinity(f->thread[i].tid, sizeof(anywhere), &anywhere);
			sched_setscheduler(f->thread[i].tid, SCHED_OTHER, &none);
			fluid_group_leave(&f->group, f->thread[i].tid);
		}
	for (size_t i = 0; i < f->count; i++) {
		pthread_join(f->thread[i].thread, NULL);
		for (size_t b = 0; b < FLUID_BLOCKS && f->thread[i].block[b]; b++)
			free(f->thread[i].block[b]);
	}
	fluid_group_remove(&f->group);
	sem_destroy(&f->ready);
	free(f);
}

int fluid_cpu(const struct fluid *f, size_t i)
{
	return f->thread[i].cpu;
}

pid_t fluid_thread(const struct fluid *f, size_t i)
{
	return f->thread[i].tid;
}

size_t fluid_windows(const struct fluid *f, size_t i)
{
	return atomic_load_explicit(&f->thread[i].windows, memory_order_acquire);
}

struct fluid_window fluid_window(const struct fluid *f, size_t i, size_t index)
{
	struct fluid_window *block = atomic_load_explicit(&f->thread[i].block[index / FLUID_BLOCK],
							  memory_order_acquire);

	return block[index % FLUID_BLOCK];
}

uint64_t fluid_thread_clock_ns(pid_t tid)
{
	return clocks_read_ns((clockid_t)((~(unsigned int)tid) << 3 | 6)); /* the kernel's name */
}

double fluid_rate(const struct fluid *f)
{
	struct scp_anchor later = counter_pair(counter_read_ordered);
	double error;

	return clocks_measure_rate(&f->origin, &later, &error);
}

double fluid_seconds(const struct fluid *f, uint64_t at, double units_per_ns)
{
	/* `at` may lie before the origin */
	double since = (double)(int64_t)(at - f->origin.clock_at) / units_per_ns;

	return ((double)f->origin.mono_ns + since) / 1e9;
}
