// SPDX-License-Identifier: GPL-3.0-or-later
/* The schedule of the ticks, which a seed and an instant determine, and the thread that makes them.
 * It lives in the collector, never in the target, where one more thread would break unshare, setns
 * and programs that count on being single-threaded. */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/clocks/clocks_private.h"
#include "collector/shared_page.h"
#include "profile/base/error.h"
#include "stats/mean/replications.h"

/* Below this interval the wake-up latency of a sleep is a good part of a tick:
 * wake early by SPIN_NS and wait for the remaining time in a loop, if there is a second CPU. */
#define SPIN_BELOW_NS UINT64_C(60000)
#define SPIN_NS	      UINT64_C(8000)

struct ticker {
	pthread_t thread;
	char *path;
	struct scp_clock_page *page;
	struct tick_schedule schedule;
	struct ticker_stats stats; /* all but what the schedule counts */
	uint64_t spin_ns;
	atomic_bool stop;
};

/* Uniform over 2 floor(d/2) + 1 integers around d: the mean is d for odd d as well. */
static uint64_t tick_length(struct tick_schedule *s)
{
	uint64_t half = s->interval_ns / 2;

	return s->interval_ns - half + random_below(&s->random, 2 * half + 1);
}

void ticker_schedule_begin(struct tick_schedule *s, uint64_t interval_ns, uint64_t start_ns,
			   uint64_t seed)
{
	*s = (struct tick_schedule){.interval_ns = interval_ns};
	random_seed(&s->random, seed);
	s->due_ns = start_ns + tick_length(s);
}

uint64_t ticker_schedule_advance(struct tick_schedule *s, uint64_t now_ns)
{
	uint64_t made = 0;

	for (; s->due_ns <= now_ns; made++) {
		uint64_t late_ns = now_ns - s->due_ns;

		s->late_sum_ns += late_ns;
		s->late_ticks += late_ns > s->interval_ns / 2;
		if (late_ns > s->late_max_ns)
			s->late_max_ns = late_ns;
		s->due_ns += tick_length(s);
	}
	s->ticks += made;
	return made;
}

/* As high as is allowed, and timers without slack. All three act on the calling thread only. */
static const char *raise_priority(void)
{
	struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (!sched_setscheduler(0, SCHED_FIFO, &lowest))
		return "SCHED_FIFO";
	if (!setpriority(PRIO_PROCESS, 0, -20))
		return "nice -20";
	return "ordinary";
}

static void *ticker_main(void *argument)
{
	struct ticker *t = argument;
	const struct tick_schedule *s = &t->schedule;

	pthread_setname_np(pthread_self(), "scprof-ticker");
	t->stats.scheduling = raise_priority();
	while (!atomic_load_explicit(&t->stop, memory_order_relaxed)) {
		clocks_read_sleep_until(t->schedule.due_ns - t->spin_ns);
		while (t->spin_ns && clocks_read_ns(CLOCK_MONOTONIC) < t->schedule.due_ns)
			counter_pause();
		t->stats.stop_ns = clocks_read_ns(CLOCK_MONOTONIC);
		if (!ticker_schedule_advance(&t->schedule, t->stats.stop_ns))
			continue;
		/* the ticks first: the other fields are for reports */
		__atomic_store_n(&t->page->ticks, s->ticks, __ATOMIC_RELEASE);
		__atomic_store_n(&t->page->cpu, (uint64_t)(sched_getcpu() + 1), __ATOMIC_RELAXED);
		__atomic_store_n(&t->page->late_sum_ns, s->late_sum_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&t->page->late_max_ns, s->late_max_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&t->page->late_ticks, s->late_ticks, __ATOMIC_RELAXED);
	}
	t->stats.cpu_ns = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static bool cpus_to_spare(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1;
}

static void ticker_free(struct ticker *t)
{
	if (t->page)
		shared_page_remove(t->page, t->path);
	free(t->path);
	free(t);
}

struct ticker *ticker_start(const char *path, uint64_t interval_ns, uint64_t seed,
			    struct profile_error *err)
{
	struct ticker *t = calloc(1, sizeof(*t));

	if (t && (t->path = strdup(path)) &&
	    (t->page = shared_page_create(path, SCP_CLOCK_PAGE_BYTES, SHARED_PAGE_READ))) {
		t->page->flags = SCP_CLOCK_RANDOMIZED;
		t->page->ticker_pid = (uint32_t)getpid();
		t->page->interval_ps = interval_ns * 1000;
		memcpy(t->page->magic, SCP_CLOCK_PAGE_MAGIC, sizeof(t->page->magic));
		if (interval_ns < SPIN_BELOW_NS && cpus_to_spare())
			t->spin_ns = SPIN_NS;
		t->stats.start_ns = t->stats.stop_ns = clocks_read_ns(CLOCK_MONOTONIC);
		ticker_schedule_begin(&t->schedule, interval_ns, t->stats.start_ns, seed);
		errno = shared_page_start_thread(&t->thread, ticker_main, t);
		if (!errno)
			return t;
	}
	error_set(err, "cannot start the page clock on %s: %s", path, strerror(errno));
	if (t)
		ticker_free(t);
	return NULL;
}

const struct scp_clock_page *ticker_page(const struct ticker *t)
{
	return t->page;
}

void ticker_stop(struct ticker *t, struct ticker_stats *stats)
{
	atomic_store_explicit(&t->stop, true, memory_order_relaxed);
	pthread_join(t->thread, NULL); /* within one tick: at most 150 ms */
	*stats = t->stats;
	PROF_SET(stats, &t->schedule, ticks, late_sum_ns, late_max_ns, late_ticks);
	stats->cut = shared_page_was_cut(t->page);
	ticker_free(t);
}

/* The child and the thread run on the CPU of the caller. Each of them ends by itself after
 * MOST_NS. */

#define APART_NS  UINT64_C(150000)
#define MOST_NS	  UINT64_C(60000000)
#define WAIT_NS	  UINT64_C(20000000) /* for the child */
#define LEAST_GAP UINT64_C(500)	     /* ns: more than reading a clock takes */
#define MOST_GAPS 2048
#define ASK_AGAIN 50000 /* ns */
/* A gap of so many times the CPU time of the thread that ticks has others' work in it, too. */
#define MOST_TIMES 3

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

static void *tick(void *argument)
{
	struct meeting *m = argument;
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC), end = now + WAIT_NS;

	while (!atomic_load(&m->begun) && now < end) {
		clocks_read_sleep_until(now + ASK_AGAIN);
		now = clocks_read_ns(CLOCK_MONOTONIC);
	}
	cpus_pin(m->cpu);
	raise_priority();
	m->cpu_ns = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
	end = now + MOST_NS;
	for (; m->ticks < TICKER_COST_TICKS && now < end; m->ticks++) {
		clocks_read_sleep_until(now + APART_NS);
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
	TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
}

uint64_t ticker_cost_median(const struct ticker_cost_gap *gap, size_t gaps, const uint64_t *at,
			    size_t instants, uint64_t most_ns)
{
	double length[TICKER_COST_TICKS];
	size_t found = 0;

	for (size_t i = 0, g = 0; i < instants && i < TICKER_COST_TICKS; i++) {
		while (g < gaps && gap[g].to_ns < at[i])
			g++;
		if (g < gaps && gap[g].from_ns <= at[i] && gap[g].to_ns - gap[g].from_ns <= most_ns)
			length[found++] = (double)(gap[g].to_ns - gap[g].from_ns);
	}
	replications_median(length, found); /* sorts */
	return found ? (uint64_t)length[found / 2] : 0;
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
