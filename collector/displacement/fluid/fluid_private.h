// SPDX-License-Identifier: GPL-3.0-or-later
/* The state of a fluid and of its threads. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_PRIVATE_H
#define SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_PRIVATE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "collector/clocks/clocks_measure.h"
#include "collector/displacement/fluid/fluid.h"
#include "collector/displacement/fluid/fluid_group.h"
#include "collector/displacement/fluid/fluid_loop.h"

#define FLUID_BLOCK  1024 /* windows */
#define FLUID_BLOCKS 4096

enum fluid_state { STARTING, RUNNING, NOT_PINNED, NOT_IDLE, NO_SCHEDSTAT };

struct fluid_thread {
	struct fluid *fluid;
	pthread_t thread;
	pid_t tid;
	int cpu, error, schedstat;
	enum fluid_state state;
	_Atomic(struct fluid_window *) block[FLUID_BLOCKS];
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

/* Body of a thread; `argument` is its struct fluid_thread. Posts `ready` when its state is known,
 * and runs until `stop` is set if that is RUNNING. */
void *fluid_thread_main(void *argument);

/* Where a window ends and the next begins: the clocks of one instant. */
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

#endif
