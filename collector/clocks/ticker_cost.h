// SPDX-License-Identifier: GPL-3.0-or-later
/* What a tick of the page clock takes from a thread on whose CPU it falls.
 *
 * A child process does nothing but read the clock on one CPU, and a thread with the ticker's
 * priority wakes up there, as the ticker would. A process, since switching between threads of one
 * address space is cheaper. What its readings lack round an instant of waking up is the interrupt,
 * both switches and the ticker's own work; not what the caches lost. */
#ifndef SCPROF_COLLECTOR_CLOCKS_TICKER_COST_H
#define SCPROF_COLLECTOR_CLOCKS_TICKER_COST_H

#include <stddef.h>
#include <stdint.h>

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

#endif
