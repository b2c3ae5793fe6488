// SPDX-License-Identifier: GPL-3.0-or-later
/* The threads, and their windows in blocks that never move, so that a reader needs no
 * lock. What a thread does besides its chunks (a clock, a file of 30 bytes, the sums of a
 * window: some microseconds in 10 ms) is time of its own and counted as progress, by the
 * thread's CPU clock: where it had to wait for its CPU, a window ends when it has just got it
 * back, with cold caches, and all this takes ten times as long as usual. */
#include "fluid.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clocks_private.h"
#include "counter.h"
#include "fluid_group.h"
#include "fluid_loop.h"

#define BLOCK	    1024
#define BLOCKS	    4096
#define EDGE_NS	    20000 /* ten times what the reading of an edge takes */
#define EDGE_TRIES  3
#define TAIL_NS	    50000 /* of own time that is not seen by the CPU clock: no more than that */
#define DOUBLE_FROM 65536 /* windows; from there on, and at each doubling, twice as long */

enum start { STARTING, RUNNING, NOT_PINNED, NOT_IDLE, NO_SCHEDSTAT };

struct fluid_thread {
	struct fluid *fluid;
	pthread_t thread;
	pid_t tid;
	int cpu, error, schedstat;
	enum start start;
	_Atomic(struct fluid_window *) block[BLOCKS];
	atomic_size_t windows;
	uint64_t told;
	uint64_t own_ns; /* CPU time since the last edge that was its own, before its first chunk */
	struct fluid_loop loop;
};

struct fluid {
	struct fluid_options options;
	struct fluid_group group;
	bool apart; /* all threads are in it */
	struct clock_pair origin;
	double units_per_ns; /* at the start */
	sem_t ready;
	atomic_bool stop;
	size_t count;
	struct fluid_thread thread[];
};

uint64_t fluid_now(void)
{
	return counter_read_ordered();
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The kernel's name for the CPU clock of one thread of this process. */
static clockid_t thread_clock(pid_t tid)
{
	return (clockid_t)((~(unsigned int)tid) << 3 | 6);
}

/* Time on the CPU (as of the last tick: not used), time of waiting for it, turns. While
 * the thread runs, no waiting is in progress, so the second is complete. */
static int read_schedstat(int fd, uint64_t *waited_ns, uint64_t *turns)
{
	char text[96];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return -1;
	text[length] = '\0';
	return sscanf(text, "%*u %" SCNu64 " %" SCNu64, waited_ns, turns) == 2 ? 0 : -1;
}

struct edge {
	uint64_t at, charged_ns, waited_ns, turns;
};

/* All of one instant: what took long was interrupted, and what came in between would be counted in
 * one window by one clock and in the next by another. */
static int take_edge(struct fluid_thread *t, struct edge *e)
{
	double longest = EDGE_NS * t->fluid->units_per_ns;
	int result = -1;

	for (int i = 0; i < EDGE_TRIES; i++) {
		uint64_t begin = fluid_now();

		e->charged_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		e->at = fluid_now();
		result = read_schedstat(t->schedstat, &e->waited_ns, &e->turns);
		if (result || (double)(fluid_now() - begin) < longest)
			break;
	}
	return result;
}

static struct fluid_window *room(struct fluid_thread *t, size_t index)
{
	struct fluid_window *block;

	if (index >= (size_t)BLOCK * BLOCKS)
		return NULL;
	block = atomic_load_explicit(&t->block[index / BLOCK], memory_order_relaxed);
	if (!block) {
		block = calloc(BLOCK, sizeof(*block));
		atomic_store_explicit(&t->block[index / BLOCK], block, memory_order_release);
	}
	return block ? block + index % BLOCK : NULL;
}

/* Between the last chunk and the edge: the way into the kernel's clock. Where the CPU was lost in
 * between, it is as short as can be. */
static double tail(const struct fluid_thread *t, uint64_t units)
{
	return (double)units < TAIL_NS * t->fluid->units_per_ns ? (double)units : 0;
}

/* `last`: the end of the last chunk. */
static void finish_window(struct fluid_thread *t, const struct edge *from, const struct edge *to,
			  uint64_t last)
{
	struct fluid_chunks c = fluid_loop_chunks(&t->loop);
	size_t index = atomic_load_explicit(&t->windows, memory_order_relaxed);
	struct fluid_window *w = room(t, index);

	if (!w)
		return; /* memory is out, or a month is over: what there is stays good */
	*w = (struct fluid_window){
		.begin = from->at,
		.end = to->at,
		.charged_ns = to->charged_ns - from->charged_ns,
		.clock_ns = from->charged_ns,
		.waited_ns = to->waited_ns - from->waited_ns,
		.progress = c.mean * t->loop.chunks + tail(t, to->at - last) +
			    (double)t->own_ns * t->fluid->units_per_ns,
		.chunk = c.mean,
		.chunks = t->loop.chunks,
		.disturbed = t->loop.chunks - c.undisturbed,
		.switches = (uint32_t)(to->turns - from->turns),
		.moved = sched_getcpu() != t->cpu,
	};
	atomic_store_explicit(&t->windows, index + 1, memory_order_release);
}

/* All that is done between two windows. */
static void prepare_window(struct fluid_thread *t, const struct edge *from)
{
	const struct fluid_options *o = &t->fluid->options;

	if (o->edge)
		o->edge(o->context, (size_t)(t - t->fluid->thread), t->windows);
	fluid_loop_clear(&t->loop);
	t->own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from->charged_ns;
}

static void run(struct fluid_thread *t)
{
	uint64_t units = (uint64_t)((double)t->fluid->options.window_ns * t->fluid->units_per_ns);
	struct edge from, to;
	size_t longer = DOUBLE_FROM;

	take_edge(t, &from);
	while (!atomic_load_explicit(&t->fluid->stop, memory_order_relaxed)) {
		prepare_window(t, &from);
		uint64_t last = fluid_loop_run(&t->loop, fluid_now(), from.at + units, &t->told);

		take_edge(t, &to);
		finish_window(t, &from, &to, last);
		from = to;
		if (t->windows >= longer) {
			longer *= 2;
			units *= 2;
		}
	}
}

static enum start settle(struct fluid_thread *t)
{
	const struct sched_param none = {0};
	uint64_t waited, turns;
	cpu_set_t one;
	char path[64];

	CPU_ZERO(&one);
	CPU_SET(t->cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return NOT_PINNED;
	/* before it is the last to get a busy CPU */
	fluid_loop_begin(&t->loop, t->fluid->units_per_ns);
	if (sched_setscheduler(
		    0, t->fluid->options.scheduling == FLUID_IDLE ? SCHED_IDLE : SCHED_OTHER,
		    &none))
		return NOT_IDLE;
	if (fluid_group_join(&t->fluid->group, t->tid))
		t->fluid->apart = false; /* threads start one after another */
	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)t->tid);
	t->schedstat = open(path, O_RDONLY | O_CLOEXEC);
	if (t->schedstat < 0 || read_schedstat(t->schedstat, &waited, &turns) || !turns)
		return NO_SCHEDSTAT;
	return RUNNING;
}

static void *thread_main(void *argument)
{
	struct fluid_thread *t = argument;

	t->tid = gettid();
	pthread_setname_np(pthread_self(), "scprof-fluid");
	t->start = settle(t);
	t->error = errno;
	sem_post(&t->fluid->ready);
	if (t->start == RUNNING)
		run(t);
	if (t->schedstat >= 0)
		close(t->schedstat);
	return NULL;
}

static int start_thread(struct fluid_thread *t)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&t->thread, NULL, thread_main, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void explain(const struct fluid_thread *t, struct profile_error *err)
{
	switch (t->start) {
	case NOT_PINNED:
		snprintf(err->text, sizeof(err->text),
			 "cannot keep a thread on CPU %d: %s. Displacement needs the permission to "
			 "set affinities (sched_setaffinity); a sandbox or container may forbid it",
			 t->cpu, strerror(t->error));
		return;
	case NOT_IDLE:
		snprintf(err->text, sizeof(err->text),
			 "the scheduling class SCHED_IDLE is refused: %s. Without it the fluid "
			 "would take time from the program; allow sched_setscheduler, or use "
			 "--method wall, whose fluid is an ordinary process",
			 strerror(t->error));
		return;
	case NO_SCHEDSTAT:
		snprintf(err->text, sizeof(err->text),
			 "/proc/self/schedstat tells nothing here (the kernel lacks "
			 "CONFIG_SCHED_INFO, or /proc is not mounted): waiting and stolen time "
			 "cannot be told apart. --method wall needs neither");
		return;
	default:
		snprintf(err->text, sizeof(err->text), "cannot start a thread on CPU %d: %s",
			 t->cpu, strerror(t->error));
	}
}

static void calibrate(struct fluid *f)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	struct clock_pair later;
	double error;

	f->origin = clocks_pair(fluid_now);
	nanosleep(&pause, NULL);
	later = clocks_pair(fluid_now);
	f->units_per_ns = clocks_rate(&f->origin, &later, &error);
}

static struct fluid *make(const struct fluid_options *o, struct profile_error *err)
{
	size_t count = (size_t)CPU_COUNT(&o->cpus), at = 0;
	struct fluid *f = calloc(1, sizeof(*f) + count * sizeof(f->thread[0]));

	if (!f) {
		snprintf(err->text, sizeof(err->text), "no memory for the fluid");
		return NULL;
	}
	f->options = *o;
	sem_init(&f->ready, 0, 0);
	calibrate(f);
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
	struct fluid *f;
	char why[256];

	if (!counter_trusted(why, sizeof(why))) {
		snprintf(err->text, sizeof(err->text),
			 "%.200s, and the fluid measures its chunks with it. --method wall needs "
			 "no such counter",
			 why);
		return NULL;
	}
	f = make(o, err);
	if (!f)
		return NULL;
	f->apart = o->scheduling == FLUID_IDLE && !o->no_group && !fluid_group_make(&f->group);
	for (size_t i = 0; i < (size_t)CPU_COUNT(&o->cpus); i++) {
		struct fluid_thread *t = &f->thread[i];

		t->error = start_thread(t);
		f->count += !t->error;
		while (!t->error && sem_wait(&f->ready))
			continue;
		if (t->start != RUNNING) {
			explain(t, err);
			fluid_stop(f);
			return NULL;
		}
	}
	return f;
}

void fluid_stop(struct fluid *f)
{
	const struct sched_param none = {0};
	cpu_set_t anywhere;

	atomic_store_explicit(&f->stop, true, memory_order_relaxed);
	/* where other tasks hold its CPU, a thread would get to its end seconds late; the class
	 * of all others is open to it again where RLIMIT_NICE or a capability allows it */
	if (!sched_getaffinity(0, sizeof(anywhere), &anywhere))
		for (size_t i = 0; i < f->count; i++) {
			sched_setaffinity(f->thread[i].tid, sizeof(anywhere), &anywhere);
			sched_setscheduler(f->thread[i].tid, SCHED_OTHER, &none);
		}
	for (size_t i = 0; i < f->count; i++) {
		pthread_join(f->thread[i].thread, NULL);
		for (size_t b = 0; b < BLOCKS && f->thread[i].block[b]; b++)
			free(f->thread[i].block[b]);
	}
	fluid_group_remove(&f->group);
	sem_destroy(&f->ready);
	free(f);
}

bool fluid_apart(const struct fluid *f)
{
	return f->apart;
}

size_t fluid_cpus(const struct fluid *f)
{
	return f->count;
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
	struct fluid_window *block =
		atomic_load_explicit(&f->thread[i].block[index / BLOCK], memory_order_acquire);

	return block[index % BLOCK];
}

uint64_t fluid_thread_clock_ns(pid_t tid)
{
	return clock_ns(thread_clock(tid));
}

uint64_t fluid_clock_ns(const struct fluid *f, size_t i)
{
	return fluid_thread_clock_ns(f->thread[i].tid);
}

uint64_t fluid_chunks(const struct fluid *f, size_t i)
{
	return __atomic_load_n(&f->thread[i].told, __ATOMIC_RELAXED);
}

double fluid_rate(const struct fluid *f)
{
	struct clock_pair later = clocks_pair(fluid_now);
	double error;

	return clocks_rate(&f->origin, &later, &error);
}

double fluid_seconds(const struct fluid *f, uint64_t at, double units_per_ns)
{
	/* `at` may lie before the origin */
	double since = (double)(int64_t)(at - f->origin.reading) / units_per_ns;

	return ((double)f->origin.raw_ns + since) / 1e9;
}
