// SPDX-License-Identifier: GPL-3.0-or-later
/* Rates against CLOCK_MONOTONIC_RAW, which no daemon slews: the clocks over one
 * window, each error bounded by how well its readings could be paired
 * with the raw clock. The rate of the TSC comes from here, never from a name. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/clocks/clocks_private.h"
#include "profile/base/error.h"
#include "stats/numerics/random.h"

#define BUSY_NS	   UINT64_C(1000000)
#define BUSY_TRIES 30

static void set_drift(struct clock_test *t, const struct scp_anchor *a, const struct scp_anchor *b)
{
	double error, rate = clocks_measure_rate(a, b, &error);

	t->drift_ppm = (rate - 1) * 1e6;
	t->drift_error_ppm = error * 1e6;
}

/* The counter has no nominal rate: its drift is between the halves of the window. */
static void set_counter(struct clock_test *t, const struct scp_anchor p[3])
{
	double error, error1, error2;
	double rate1 = clocks_measure_rate(&p[0], &p[1], &error1);
	double rate2 = clocks_measure_rate(&p[1], &p[2], &error2);

	t->rate_hz = clocks_measure_rate(&p[0], &p[2], &error) * 1e9;
	t->rate_error_ppm = error * 1e6;
	t->drift_ppm = (rate2 / rate1 - 1) * 1e6;
	t->drift_error_ppm = (error1 + error2) * 1e6;
}

/* Tick lengths are uniform in [d/2, 3d/2], variance d^2/12; two deviations of
 * their sum, and one tick for the ends. */
static void set_page(struct clock_test *t, const struct scp_anchor *a, const struct scp_anchor *b)
{
	double error, ticks = (double)(b->clock_at - a->clock_at);
	double rate = clocks_measure_rate(a, b, &error);

	t->drift_ppm = (rate * t->claimed_ns - 1) * 1e6;
	t->drift_error_ppm = (error + (2 * sqrt(ticks / 12) + 1) / ticks) * 1e6;
	if (ticks <= 0)
		t->drift_ppm = t->drift_error_ppm = NAN;
}

/* CPU time runs like real time only while nothing takes the CPU away: the best
 * of several short busy spells. */
static void set_thread_cpu(struct clock_test *t)
{
	clock_reader *read = clocks_read_source(SCP_CLOCK_THREAD_CPU)->read;
	struct rusage before, after;

	t->drift_ppm = t->drift_error_ppm = NAN;
	for (int i = 0; i < BUSY_TRIES; i++) {
		getrusage(RUSAGE_THREAD, &before);
		struct scp_anchor a = counter_pair(read), b;
		while (counter_raw_ns() < a.mono_ns + BUSY_NS)
			continue;
		b = counter_pair(read);
		getrusage(RUSAGE_THREAD, &after);
		if (after.ru_nivcsw != before.ru_nivcsw || after.ru_nvcsw != before.ru_nvcsw)
			continue;
		double old = t->drift_ppm, old_error = t->drift_error_ppm;
		set_drift(t, &a, &b);
		if (!isnan(old) && fabs(old) < fabs(t->drift_ppm)) {
			t->drift_ppm = old;
			t->drift_error_ppm = old_error;
		}
	}
}

struct pairs {
	struct scp_anchor tsc, monotonic, page;
};

static struct pairs take_pairs(void)
{
	struct pairs p;

	p.page = counter_pair(clocks_read_source(SCP_CLOCK_PAGE)->read);
	p.monotonic = counter_pair(clocks_read_source(SCP_CLOCK_MONOTONIC)->read);
	p.tsc = counter_pair(clocks_read_source(SCP_CLOCK_TSC)->read);
	return p;
}

void clocks_drift_all(struct clocks_report *r, double window_s)
{
	struct pairs begin = take_pairs(), end;

	clocks_read_sleep(window_s / 2);
	struct scp_anchor middle = counter_pair(clocks_read_source(SCP_CLOCK_TSC)->read);
	clocks_read_sleep(window_s / 2);
	end = take_pairs();
	set_counter(clocks_test_of(r, SCP_CLOCK_TSC),
		    (struct scp_anchor[]){begin.tsc, middle, end.tsc});
	set_drift(clocks_test_of(r, SCP_CLOCK_MONOTONIC), &begin.monotonic, &end.monotonic);
	/* the kernel makes CLOCK_MONOTONIC_COARSE from the same base and rate, once a tick */
	set_drift(clocks_test_of(r, SCP_CLOCK_COARSE), &begin.monotonic, &end.monotonic);
	set_page(clocks_test_of(r, SCP_CLOCK_PAGE), &begin.page, &end.page);
	set_thread_cpu(clocks_test_of(r, SCP_CLOCK_THREAD_CPU));
	r->window_s = (double)(end.tsc.mono_ns - begin.tsc.mono_ns) / 1e9;
}

/* How late the page clock's ticker comes, at several lengths of the tick, with
 * nothing of ours running and with every CPU kept busy: a late tick is counted in another call than
 * it should be. */

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

struct ticker *clocks_start_page(uint64_t tick_ns, struct profile_error *err)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};
	struct ticker *ticker = NULL;
	char directory[48], path[64];

	error_set(err, "cannot make a directory in /dev/shm or /tmp for the page clock");
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !ticker; i++) {
		snprintf(directory, sizeof(directory), "%s/scprof-clocks.XXXXXX", places[i]);
		if (!mkdtemp(directory))
			continue;
		snprintf(path, sizeof(path), "%s/clock", directory);
		ticker = ticker_start(path, tick_ns, random_fresh_seed(), err);
		unlink(path); /* it is mapped, and nothing stays where we are killed */
		rmdir(directory);
	}
	return ticker;
}

static int measure_all(struct clock_lateness *l, bool busy, double window_s,
		       struct profile_error *err)
{
	struct ticker_stats stats;

	for (size_t i = 0; i < LENGTHS; i++, l++) {
		struct ticker *t = clocks_start_page(tick_lengths[i], err);

		if (!t)
			return -1;
		clocks_read_sleep(window_s);
		ticker_stop(t, &stats);
		l->busy = busy;
		l->tick_ns = (double)tick_lengths[i];
		clocks_late_set(l, &stats);
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

int clocks_late_measure(struct clocks_report *r, double window_s, struct profile_error *err)
{
	struct spinner spinner[CPU_SETSIZE];
	atomic_bool stop = false;
	int result = measure_all(r->late, false, window_s, err);

	if (result)
		return result;
	uint32_t spinners = start_spinners(spinner, CPU_SETSIZE, &stop);
	r->busy_cpus = spinners;
	result = measure_all(r->late + LENGTHS, true, window_s, err);
	atomic_store(&stop, true);
	while (spinners)
		pthread_join(spinner[--spinners].thread, NULL);
	return result;
}
