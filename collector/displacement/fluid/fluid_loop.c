// SPDX-License-Identifier: GPL-3.0-or-later
/* A chain of multiplications in which each waits for the one before. It uses a small part
 * of what a core can do at once, so that a busy sibling hyper-thread hardly slows it, and
 * neither memory nor cache. */
#include "collector/displacement/fluid/fluid_private.h"

#include <string.h>

#include "collector/clocks/counter.h"

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
