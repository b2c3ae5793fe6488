// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid's loop, and what it makes of a window's chunks. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_LOOP_H
#define SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define FLUID_BUCKETS 512

/* Durations of chunks, `width` units a bucket. Longer ones are counted as chunks only. */
struct fluid_loop {
	uint32_t iterations; /* of the chain, in a chunk */
	uint32_t width;
	uint64_t state; /* of the chain */
	uint32_t chunks;
	uint32_t count[FLUID_BUCKETS];
	uint64_t sum[FLUID_BUCKETS];
	uint64_t counted; /* by fluid_loop_count so far, published every 1024; atomic */
};

/* Finds iterations for chunks of 256 units or 0.25 us, whichever is longer. */
void fluid_loop_begin(struct fluid_loop *l, double units_per_ns);

/* No chunk is counted: before each fluid_loop_run, and in time of its own. */
void fluid_loop_clear(struct fluid_loop *l);

/* Runs until the counter shows `end` or more. Returns the last
 * reading; *told is advanced by the chunks done, every 1024 or so, for other threads to
 * read. */
uint64_t fluid_loop_run(struct fluid_loop *l, uint64_t begin, uint64_t end, uint64_t *told);

/* The undisturbed chunks: those up to two and a half times the most frequent duration. */
struct fluid_chunks {
	uint32_t undisturbed;
	double mean; /* units; 0: none */
};
struct fluid_chunks fluid_loop_chunks(const struct fluid_loop *l);

/* Exactly `chunks` of them without a look at the clock: the paper's fluid process.
 * Stops early where *stop becomes nonzero; returns the chunks done. */
uint64_t fluid_loop_count(struct fluid_loop *l, uint64_t chunks, const int *stop);

#endif
