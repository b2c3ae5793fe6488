// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid's loop, and the evaluation of a window's chunks. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/fluid/fluid.h"
#include "collector/displacement/fluid/fluid_group.h"

#define FLUID_BUCKETS 512

/* Histogram of chunk durations, `width` units per bucket. Longer chunks are only counted. */
struct fluid_loop {
	uint32_t iterations; /* iterations of the chain in a chunk */
	uint32_t width;
	uint64_t state; /* of the chain */
	uint32_t chunks;
	uint32_t count[FLUID_BUCKETS];
	uint64_t sum[FLUID_BUCKETS];
};

/* Finds iterations for chunks of 256 units or 0.25 us, whichever is longer. */
void fluid_loop_begin(struct fluid_loop *l, double units_per_ns);

/* No chunk is counted: before each fluid_loop_run, and in time of its own. */
void fluid_loop_clear(struct fluid_loop *l);

/* Runs until the counter shows `end` or more. Returns the last reading. */
uint64_t fluid_loop_run(struct fluid_loop *l, uint64_t begin, uint64_t end);

/* The undisturbed chunks: those up to two and a half times the most frequent duration. */
struct fluid_chunks {
	uint32_t undisturbed;
	double mean; /* units; 0: none */
};
struct fluid_chunks fluid_loop_chunks(const struct fluid_loop *l);

/* The state of a fluid and of its threads. */

#define FLUID_BLOCK  1024 /* windows */
#define FLUID_BLOCKS 4096

struct fluid_thread {
	struct fluid *fluid;
	pthread_t thread;
	pid_t tid;
	int cpu, schedstat;
	struct profile_error refused; /* "": it runs */
	_Atomic(struct fluid_window *) block[FLUID_BLOCKS];
	atomic_size_t windows;
	uint64_t own_ns; /* CPU time since the last edge that was its own, before its first chunk */
	struct fluid_loop loop;
};

struct fluid {
	struct fluid_options options;
	struct fluid_group group;
	bool apart; /* all threads are in it: the fluid yields to all tasks of the machine */
	struct scp_anchor origin;
	double units_per_ns; /* at the start */
	sem_t ready;
	atomic_bool stop;
	size_t count;
	struct fluid_thread thread[];
};

/* Body of a thread; `argument` is its struct fluid_thread. Posts `ready` when it is known whether
 * it can run, and then runs until `stop` is set. */
void *fluid_thread_main(void *argument);

/* The end of a window, and the beginning of the next: the clocks of one instant. */
struct fluid_edge {
	uint64_t at;	     /* counter */
	uint64_t charged_ns; /* the thread's CPU clock */
	uint64_t waited_ns, turns;
	uint64_t first_at, first_ns; /* counter and CPU clock of the first try */
};

/* The window between two edges, but for `moved`. `last`: the counter after the last chunk. */
struct fluid_window fluid_thread_window_between(const struct fluid_edge *from,
						const struct fluid_edge *to,
						const struct fluid_loop *loop, uint64_t last,
						uint64_t own_ns, double units_per_ns);
