// SPDX-License-Identifier: GPL-3.0-or-later
/* How late the page clock's ticker comes, at several lengths of the tick, with
 * nothing of ours running and with every CPU kept busy: a late tick is counted in another call than
 * it should be. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "collector/clocks/clocks_private.h"
#include "stats/numerics/random.h"

static const uint64_t tick_lengths[] = {100000, 1000000, 4000000};
#define LENGTHS (sizeof(tick_lengths) / sizeof(*tick_lengths))
_Static_assert(CLOCKS_LATE == 2 * LENGTHS, "each length twice: idle, busy");

struct spinner {
	pthread_t thread;
	int cpu;
	atomic_bool *stop;
};

static void *spin(void *argument)
{
	const struct spinner *s = argument;
	volatile uint64_t work = 0;

	cpus_pin(s->cpu);
	while (!atomic_load_explicit(s->stop, memory_order_relaxed))
		for (int i = 0; i < 1000; i++)
			work = work + 1;
	return NULL;
}

static uint32_t start_spinners(struct spinner *s, uint32_t room, atomic_bool *stop)
{
	uint32_t count = 0;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && count < room; cpu++) {
		s[count] = (struct spinner){.cpu = cpu, .stop = stop};
		if (CPU_ISSET(cpu, &allowed) &&
		    !pthread_create(&s[count].thread, NULL, spin, &s[count]))
			count++;
	}
	return count;
}

static int measure(struct clock_lateness *l, uint64_t tick_ns, const char *directory,
		   double window_s, struct profile_error *err)
{
	struct ticker_stats stats;
	char path[80];

	snprintf(path, sizeof(path), "%.60s/late", directory);
	struct ticker *ticker = ticker_start(path, tick_ns, random_fresh_seed(), err);
	if (!ticker)
		return -1;
	clocks_read_sleep(window_s);
	ticker_stop(ticker, &stats);
	l->tick_ns = (double)tick_ns;
	clocks_late_set(l, &stats);
	return 0;
}

static int measure_all(struct clock_lateness *l, bool busy, const char *directory, double window_s,
		       struct profile_error *err)
{
	for (size_t i = 0; i < LENGTHS; i++) {
		l[i].busy = busy;
		if (measure(&l[i], tick_lengths[i], directory, window_s, err))
			return -1;
	}
	return 0;
}

void clocks_late_set(struct clock_lateness *l, const struct ticker_stats *s)
{
	double ticks = (double)(s->ticks ? s->ticks : 1);

	l->ticks = s->ticks;
	l->mean_ns = (double)s->late_sum_ns / ticks;
	l->max_ns = (double)s->late_max_ns;
	l->share = (double)s->late_ticks / ticks;
	l->scheduling = s->scheduling;
}

int clocks_late_measure(struct clocks_report *r, const char *directory, double window_s,
			struct profile_error *err)
{
	struct spinner spinner[CPU_SETSIZE];
	atomic_bool stop = false;
	uint32_t spinners;
	int result = measure_all(r->late, false, directory, window_s, err);

	if (result)
		return result;
	spinners = start_spinners(spinner, CPU_SETSIZE, &stop);
	r->busy_cpus = spinners;
	result = measure_all(r->late + LENGTHS, true, directory, window_s, err);
	atomic_store(&stop, true);
	while (spinners)
		pthread_join(spinner[--spinners].thread, NULL);
	return result;
}
