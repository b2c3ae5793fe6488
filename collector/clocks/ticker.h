// SPDX-License-Identifier: GPL-3.0-or-later
/* The page clock: a thread of the collector that advances a word in a shared file, which programs
 * read as their clock.
 *
 * Tick lengths are independent and uniform in [d/2, 3d/2], mean d, so that a program with a period
 * of its own cannot stay synchronous with the tick: S. McCanne and C. Torek, "A randomized sampling
 * clock for CPU utilization estimation and code profiling", USENIX Winter 1993.
 *
 * The schedule is absolute: a tick that comes late does not move the later ones, and missed ticks
 * are made up at once, so that the count keeps the rate. Lateness is measured and published,
 * because late ticks that fall where the program sleeps bias what is measured with them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "stats/numerics/random.h"

#define TICKER_MIN_NS	  UINT64_C(20000)
#define TICKER_MAX_NS	  UINT64_C(100000000)
#define TICKER_DEFAULT_NS UINT64_C(1000000)

/* The due times of the ticks. Pure; instants in nanoseconds of one clock. */
struct tick_schedule {
	struct random random;
	uint64_t interval_ns;
	uint64_t due_ns; /* of the next tick */
	uint64_t ticks;	 /* so far */
	uint64_t late_sum_ns, late_max_ns;
	uint64_t late_ticks; /* later than interval_ns / 2 */
};

/* The first tick is due one tick length after start_ns. */
void ticker_schedule_begin(struct tick_schedule *s, uint64_t interval_ns, uint64_t start_ns,
			   uint64_t seed);

/* Make all ticks that are due at now_ns, and account for their lateness.
 * Returns how many there were. */
uint64_t ticker_schedule_advance(struct tick_schedule *s, uint64_t now_ns);

struct ticker;

struct ticker_stats {
	uint64_t ticks, late_sum_ns, late_max_ns, late_ticks;
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC: begin, and the last look at the clock */
	uint64_t cpu_ns;	    /* CPU time of the ticker's thread */
	const char *scheduling;	    /* "SCHED_FIFO", "nice -20", "ordinary": static text */
	bool cut;		    /* somebody cut the page */
};

/* Create the page file at `path` (which must not exist) and start ticking. interval_ns within
 * TICKER_MIN_NS..TICKER_MAX_NS. NULL and *err on failure, the file removed. The thread blocks all
 * signals and takes no lock; it changes scheduling and timer slack of itself only. */
struct ticker *ticker_start(const char *path, uint64_t interval_ns, uint64_t seed,
			    struct profile_error *err);

/* The shared page; valid until ticker_stop. */
const struct scp_clock_page *ticker_page(const struct ticker *t);

/* Stop, remove the file and free everything. */
void ticker_stop(struct ticker *t, struct ticker_stats *stats);

/* What a tick of the page clock takes from a thread on whose CPU it falls.
 *
 * A child process does nothing but read the clock on one CPU, and a thread with the ticker's
 * priority wakes up there, as the ticker would. A process, since switching between threads of one
 * address space is cheaper. What its readings lack round an instant of waking up is the interrupt,
 * both switches and the ticker's own work; not what the caches lost. */

/* One tick may take this share of the CPU that it falls on. */
#define TICKER_COST_SHARE 0.01

struct ticker_cost {
	uint64_t taken_ns; /* by a tick, from a thread on its CPU: median; 0: not known */
	uint64_t cpu_ns;   /* CPU time of the thread that ticks, a tick: mean; 0: not known */
};

struct ticker_cost_gap {
	uint64_t from_ns, to_ns;
};

/* Takes about 5 ms, of it 4 on one CPU. In a process of one thread, whose children nobody else
 * awaits. All 0 where no thread can be started. */
void ticker_cost_measure(struct ticker_cost *c);

/* Some instants, of which each tells one tick. */
#define TICKER_COST_TICKS 24

/* The median length of the gaps round these instants, TICKER_COST_TICKS at most; longer ones than
 * most_ns do not count: others ran, too. 0 without any. Both in order. */
uint64_t ticker_cost_median(const struct ticker_cost_gap *gap, size_t gaps, const uint64_t *at,
			    size_t instants, uint64_t most_ns);

/* How many of `ticks` in ran_ns took the CPU from processes that had cpu_ns of CPU time and were
 * switched so many times involuntarily: not more than these, nor, in the mean, than fall into that
 * time. */
uint64_t ticker_cost_hits(uint64_t ticks, uint64_t ran_ns, uint64_t cpu_ns, uint64_t involuntary);

/* The shortest tick that takes no more than TICKER_COST_SHARE of a CPU: to two digits, at most
 * TICKER_MAX_NS. 0 where the cost is not known. */
uint64_t ticker_cost_least_tick(const struct ticker_cost *c);
