// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid process of the paper: so many loops of arithmetic at ordinary priority, the
 * wall-clock time at the beginning and at the end, and nothing else. One on each CPU. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_WALL_METHOD_FLUID_H
#define SCPROF_COLLECTOR_DISPLACEMENT_WALL_METHOD_FLUID_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wall_method_fluid;

/* Room for a fluid a CPU of the set; none runs yet. NULL: out of memory. */
struct wall_method_fluid *wall_method_fluid_make(const cpu_set_t *cpus);
size_t wall_method_fluid_count(const struct wall_method_fluid *f);

/* Starts them; fluid i runs loops[i] loops, or until it is stopped where that is 0. They have
 * begun when it returns. 0; -1 with errno: a thread could not be started or pinned. */
int wall_method_fluid_start(struct wall_method_fluid *f, const uint64_t *loops);

bool wall_method_fluid_ended(const struct wall_method_fluid *f); /* all of them */
bool wall_method_fluid_any_ended(const struct wall_method_fluid *f);
/* Loops that fluid i has done since it was started, while it runs: some 1000 too few at most. */
uint64_t wall_method_fluid_done(const struct wall_method_fluid *f, size_t i);
/* Ends those that run, waits for all. */
void wall_method_fluid_finish(struct wall_method_fluid *f);

/* After wall_method_fluid_finish: what fluid i did in its last run. */
struct wall_method_fluid_run {
	double began, ended; /* seconds of CLOCK_MONOTONIC */
	uint64_t loops;
	uint64_t intervals; /* times that it came back to the CPU, and one */
};
struct wall_method_fluid_run wall_method_fluid_result(const struct wall_method_fluid *f, size_t i);

/* Seconds that the loop takes longer with cold caches, the first time: the paper's K. */
double wall_method_fluid_first_loop(void);

void wall_method_fluid_free(struct wall_method_fluid *f);

#endif
