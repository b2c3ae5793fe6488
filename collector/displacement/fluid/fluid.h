// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid: one thread on each CPU of a set that takes all time that no other task uses
 * (SCHED_IDLE), and knows how much of it was really its own.
 *
 * It runs chunks of a fixed chain of multiplications and reads the counter after each. The length
 * of an undisturbed chunk is determined in each window (the mode of the window's chunks), so that a
 * changing clock rate or a busy sibling changes the measure and not the result. What was charged to
 * the thread by the kernel, less its chunks, is time in which the CPU did something that no process
 * was charged for: interrupts, softirqs, the kernel's part of switching. Time that the host of a
 * virtual machine took is in neither: it shows as wall-clock time in which the thread neither
 * waited nor was charged.
 *
 *      wall = charged + waited + stolen        charged = progress + uncharged time
 *
 * (Woodside, Courtois and Schramm 1997 compare the progress with wall-clock time; why that fails on
 * a virtual machine: docs/displacement.md.)
 *
 * They are threads of this process, so a killed scprof leaves none behind. One reader besides them
 * at a time. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

/* A window ends at the first chunk after its time is over; a fluid that had to wait makes long
 * windows. Windows of one thread follow each other without a gap. Instants are in counter units
 * (counter.h); fluid_rate converts them. */
struct fluid_window {
	uint64_t begin, end;
	uint64_t charged_ns; /* CPU time that the kernel charged to the thread */
	uint64_t clock_ns;   /* the thread's CPU clock at `begin` */
	uint64_t waited_ns;  /* time that it could have run while another task did (run_delay) */
	double progress;     /* units: chunks x undisturbed chunk, and its own bookkeeping */
	double chunk;	     /* units: mean of the undisturbed chunks */
	uint32_t chunks, disturbed;
	uint32_t switches; /* number of times that it got the CPU back */
	bool moved;	   /* it was not on its CPU at the end: hot-unplug, cpuset */
};

struct fluid_options {
	cpu_set_t cpus;
	uint64_t window_ns; /* FLUID_WINDOW_NS unless there is a reason */
	/* Unless NULL, thread i calls it between windows, before window `index` begins. The CPU
	 * time that it takes counts as the fluid's own progress. */
	void (*edge)(void *context, size_t i, size_t index);
	void *context;
};
#define FLUID_WINDOW_NS UINT64_C(10000000)

struct fluid;

/* All threads run when it returns, each pinned. The calling thread is as before. NULL and
 * *err, one line that says what to do: a CPU cannot be pinned to, SCHED_IDLE is refused,
 * no schedstat, a counter that cannot be trusted, out of memory; nothing is left running. */
struct fluid *fluid_start(const struct fluid_options *o, struct profile_error *err);

/* Ends the threads within a chunk (well, when they next get their CPUs) and frees all. */
void fluid_stop(struct fluid *f);

int fluid_cpu(const struct fluid *f, size_t i);
pid_t fluid_thread(const struct fluid *f, size_t i);

/* The number of complete windows. It never decreases; index 0 is the first window since the
 * start. */
size_t fluid_windows(const struct fluid *f, size_t i);
struct fluid_window fluid_window(const struct fluid *f, size_t i, size_t index);

/* The CPU clock of any thread of this process now, whether it runs or not; 0: no such thread. */
uint64_t fluid_thread_clock_ns(pid_t tid);

/* Counter units a nanosecond of CLOCK_MONOTONIC_RAW, from the start until now: the longer,
 * the better (after 1 s to 1e-7 or so). Takes some microseconds. */
double fluid_rate(const struct fluid *f);
/* Seconds of CLOCK_MONOTONIC_RAW at counter reading `at`, given that rate. */
double fluid_seconds(const struct fluid *f, uint64_t at, double units_per_ns);
