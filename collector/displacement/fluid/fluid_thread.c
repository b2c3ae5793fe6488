// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread of the fluid: window after window, in blocks that never move, so that a reader needs no
 * lock. What a thread does besides its chunks (a clock, a file of 30 bytes, the sums of a
 * window: some microseconds in 10 ms) is time of its own and counted as progress, by the
 * thread's CPU clock: where it had to wait for its CPU, a window ends when it has just got it
 * back, with cold caches, and all this takes ten times as long as usual. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/counter.h"
#include "collector/displacement/fluid/fluid_private.h"
#include "collector/machine/cpus.h"
#include "profile/base/error.h"
#include "profile/base/kernel_file.h"

#define EDGE_NS	    20000 /* ten times what the reading of an edge takes */
#define EDGE_TRIES  3
#define TAIL_NS	    50000 /* of own time that is not seen by the CPU clock: no more than that */
#define DOUBLE_FROM 65536 /* windows; from there on, and at each doubling, twice as long */

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

/* All of one instant: what took long was interrupted, and what came in between would be counted in
 * one window by one clock and in the next by another. */
static int take_edge(struct fluid_thread *t, struct fluid_edge *e)
{
	double longest = EDGE_NS * t->fluid->units_per_ns;
	int result = -1;

	for (int i = 0; i < EDGE_TRIES; i++) {
		uint64_t begin = counter_read_ordered();

		e->charged_ns = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID);
		e->at = counter_read_ordered();
		e->first_at = i ? e->first_at : e->at;
		e->first_ns = i ? e->first_ns : e->charged_ns;
		result = read_schedstat(t->schedstat, &e->waited_ns, &e->turns);
		if (result || (double)(counter_read_ordered() - begin) < longest)
			break;
	}
	return result;
}

struct fluid_window fluid_thread_window_between(const struct fluid_edge *from,
						const struct fluid_edge *to,
						const struct fluid_loop *loop, uint64_t last,
						uint64_t own_ns, double units_per_ns)
{
	struct fluid_chunks c = fluid_loop_chunks(loop);
	/* Between the last chunk and the edge: the way into the kernel's clock. Where the CPU was
	 * lost in between, it is as short as can be. */
	double tail = (double)(to->first_at - last);

	return (struct fluid_window){
		.begin = from->at,
		.end = to->at,
		.charged_ns = to->charged_ns - from->charged_ns,
		.clock_ns = from->charged_ns,
		.waited_ns = to->waited_ns - from->waited_ns,
		.progress = c.mean * loop->chunks + (tail < TAIL_NS * units_per_ns ? tail : 0) +
			    (double)(own_ns + to->charged_ns - to->first_ns) * units_per_ns,
		.chunk = c.mean,
		.chunks = loop->chunks,
		.disturbed = loop->chunks - c.undisturbed,
		.switches = (uint32_t)(to->turns - from->turns),
	};
}

/* `last`: the end of the last chunk. */
static void finish_window(struct fluid_thread *t, const struct fluid_edge *from,
			  const struct fluid_edge *to, uint64_t last)
{
	size_t index = atomic_load_explicit(&t->windows, memory_order_relaxed);
	struct fluid_window *w = NULL;

	if (index < (size_t)FLUID_BLOCK * FLUID_BLOCKS) {
		w = atomic_load_explicit(&t->block[index / FLUID_BLOCK], memory_order_relaxed);
		w = w ? w : calloc(FLUID_BLOCK, sizeof(*w));
		atomic_store_explicit(&t->block[index / FLUID_BLOCK], w, memory_order_release);
	}
	if (!w)
		return; /* out of memory, or a month is over: what there is stays good */
	w += index % FLUID_BLOCK;
	*w = fluid_thread_window_between(from, to, &t->loop, last, t->own_ns,
					 t->fluid->units_per_ns);
	w->moved = sched_getcpu() != t->cpu;
	atomic_store_explicit(&t->windows, index + 1, memory_order_release);
}

static void run(struct fluid_thread *t)
{
	const struct fluid_options *o = &t->fluid->options;
	uint64_t units = (uint64_t)((double)o->window_ns * t->fluid->units_per_ns);
	struct fluid_edge from, to;
	size_t longer = DOUBLE_FROM;

	take_edge(t, &from);
	while (!atomic_load_explicit(&t->fluid->stop, memory_order_relaxed)) {
		if (o->edge)
			o->edge(o->context, (size_t)(t - t->fluid->thread), t->windows);
		fluid_loop_clear(&t->loop);
		t->own_ns = clocks_read_ns(CLOCK_THREAD_CPUTIME_ID) - from.charged_ns;
		uint64_t last = fluid_loop_run(&t->loop, counter_read_ordered(), from.at + units);

		take_edge(t, &to);
		finish_window(t, &from, &to, last);
		from = to;
		if (t->windows >= longer) {
			longer *= 2;
			units *= 2;
		}
	}
}

static int settle(struct fluid_thread *t)
{
	const struct sched_param none = {0};
	uint64_t waited, turns;

	if (cpus_pin(t->cpu))
		return error_set(
			&t->refused,
			"cannot keep a thread on CPU %d: %s. Displacement needs the permission to "
			"set affinities (sched_setaffinity); a sandbox or container may forbid it",
			t->cpu, strerror(errno));
	/* before it is the last to get a busy CPU */
	fluid_loop_begin(&t->loop, t->fluid->units_per_ns);
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		return error_set(
			&t->refused,
			"the scheduling class SCHED_IDLE is refused: %s. Without it the fluid "
			"would take time from the program; allow sched_setscheduler",
			strerror(errno));
	t->schedstat = kernel_file_fd(O_RDONLY, "/proc/self/task/%d/schedstat", (int)t->tid);
	if (t->schedstat < 0 || read_schedstat(t->schedstat, &waited, &turns) || !turns)
		return error_set(
			&t->refused,
			"/proc/self/schedstat tells nothing here (the kernel lacks "
			"CONFIG_SCHED_INFO, or /proc is not mounted): waiting and stolen time "
			"cannot be distinguished");
	return 0;
}

void *fluid_thread_main(void *argument)
{
	struct fluid_thread *t = argument;

	t->tid = gettid();
	pthread_setname_np(pthread_self(), "scprof-fluid");
	int refused = settle(t);
	sem_post(&t->fluid->ready);
	if (!refused)
		run(t);
	kernel_file_close(&t->schedstat);
	return NULL;
}

/* A chain of multiplications in which each waits for the one before. It uses a small part
 * of what a core can do at once, so that a busy sibling hyper-thread hardly slows it, and
 * neither memory nor cache. */

#define LEAST_UNITS 256
#define LEAST_NS    250
#define MULTIPLIER  UINT64_C(6364136223846793005)
#define INCREMENT   UINT64_C(1442695040888963407)

static inline uint64_t now(void)
{
	counter_settle();
	return counter_read();
}

static inline void chunk(struct fluid_loop *l)
{
	uint64_t x = l->state;

	for (uint32_t i = 0; i < l->iterations; i++) {
		x = x * MULTIPLIER + INCREMENT;
		__asm__ volatile("" : "+r"(x)); /* each step, one by one */
	}
	l->state = x;
}

static uint64_t fastest(struct fluid_loop *l)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 200; i++) {
		uint64_t begin = now();

		chunk(l);
		uint64_t took = now() - begin;
		if (took < least)
			least = took;
	}
	return least;
}

void fluid_loop_begin(struct fluid_loop *l, double units_per_ns)
{
	double least = LEAST_NS * units_per_ns;

	*l = (struct fluid_loop){.iterations = 25, .state = 1};
	if (least < LEAST_UNITS)
		least = LEAST_UNITS;
	while ((double)fastest(l) < least)
		l->iterations += l->iterations / 4;
	/* bucket 128 of 512 for the usual length: room for a quarter of the rate */
	l->width = (uint32_t)(fastest(l) / (FLUID_BUCKETS / 4)) + 1;
}

void fluid_loop_clear(struct fluid_loop *l)
{
	memset(l->count, 0, sizeof(l->count));
	memset(l->sum, 0, sizeof(l->sum));
	l->chunks = 0;
}

uint64_t fluid_loop_run(struct fluid_loop *l, uint64_t begin, uint64_t end)
{
	uint64_t last = begin;

	while (last < end) {
		chunk(l);
		uint64_t at = now(), took = at - last, bucket = took / l->width;

		last = at;
		l->chunks++;
		if (bucket < FLUID_BUCKETS) {
			l->count[bucket]++;
			l->sum[bucket] += took;
		}
	}
	return last;
}

/* No interrupt is as short as one and a half chunks, a third of a microsecond. What makes
 * chunks longer by less is their own: another clock rate or a busy sibling, for a part of the
 * window too, or caches that another task left cold. */
struct fluid_chunks fluid_loop_chunks(const struct fluid_loop *l)
{
	struct fluid_chunks c = {0};
	uint32_t mode = 0;
	double sum = 0;

	for (uint32_t i = 1; i < FLUID_BUCKETS; i++)
		if (l->count[i] > l->count[mode])
			mode = i;
	for (uint32_t i = 0; i <= 2 * mode + mode / 2 && i < FLUID_BUCKETS; i++) {
		c.undisturbed += l->count[i];
		sum += (double)l->sum[i];
	}
	if (c.undisturbed)
		c.mean = sum / c.undisturbed;
	return c;
}
