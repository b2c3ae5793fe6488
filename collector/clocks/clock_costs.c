// SPDX-License-Identifier: GPL-3.0-or-later
/* Measures batches within rounds and takes the ways in turn, so that a change of the processor's
 * speed affects all alike and shows in the intervals. */
#include "collector/clocks/clock_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/clocks/clocks_private.h"
#include "collector/machine/cpu_times.h"

#define CONFIDENCE 0.95
/* Short compared with the kernel's tick, so that most batches are not interrupted; long compared
 * with the two readings that time it. */
#define BATCH_NS    20000.0
#define MOST_READS  65536
#define ROUGH_READS 256

/* What is measured, with one number per round. */
struct series {
	void (*loop)(uint64_t readings), (*empty)(uint64_t readings);
	uint64_t readings; /* a batch */
	double *round;
};

static double batch_ns(void (*loop)(uint64_t), uint64_t readings)
{
	uint64_t from = clocks_read_raw_ns();

	loop(readings);
	return (double)(clocks_read_raw_ns() - from);
}

/* How many readings fill a batch, from the quickest of a few short ones. */
static uint64_t readings_a_batch(void (*loop)(uint64_t))
{
	const uint64_t probe = 64;
	double quickest = INFINITY;

	for (int i = 0; i < 8; i++)
		quickest = fmin(quickest, batch_ns(loop, probe));
	double readings = BATCH_NS / quickest * (double)probe;
	if (readings > MOST_READS)
		return MOST_READS;
	return ((uint64_t)readings / CLOCK_WAYS_UNROLLED + 1) * CLOCK_WAYS_UNROLLED;
}

static double one_round(const struct series *s)
{
	double with[CLOCK_COSTS_BATCHES], without[CLOCK_COSTS_BATCHES];

	for (int i = 0; i < CLOCK_COSTS_BATCHES; i++) {
		with[i] = batch_ns(s->loop, s->readings);
		without[i] = batch_ns(s->empty, s->readings);
	}
	return (replications_median(with, CLOCK_COSTS_BATCHES) -
		replications_median(without, CLOCK_COSTS_BATCHES)) /
	       (double)s->readings;
}

static void add_ways(struct clock_costs *c, bool all)
{
	for (size_t i = 0; i < clock_ways_count && c->count < CLOCK_WAYS_MAX; i++) {
		const struct clock_way *way = &clock_ways[i];

		if ((all || way->kind != SCP_CLOCK_NONE) && (!way->usable || way->usable()))
			c->cost[c->count++].way = way;
	}
}

/* Two series a way: flow, then alone. */
static void prepare(const struct clock_costs *c, struct series *series, double *rounds)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct clock_way *way = c->cost[i].way;

		series[2 * i] = (struct series){way->flow, clock_ways_nothing.flow,
						readings_a_batch(way->flow), rounds};
		rounds += c->rounds;
		series[2 * i + 1] = (struct series){way->alone, clock_ways_nothing.alone,
						    readings_a_batch(way->alone), rounds};
		rounds += c->rounds;
	}
}

/* The same number of rounds may be discarded; after that all are kept. */
static void run_rounds(struct clock_costs *c, struct series *series)
{
	for (uint32_t round = 0; round < c->rounds;) {
		struct cpu_times_steal before = cpu_times_steal_read(), after;

		for (size_t i = 0; i < 2 * c->count; i++)
			series[i].round[round] = one_round(&series[i]);
		after = cpu_times_steal_read();
		if (after.stolen != before.stolen && c->repeated < c->rounds)
			c->repeated++;
		else
			round++;
	}
}

int clock_costs_measure(struct clock_costs *c, bool all, uint32_t rounds)
{
	struct series series[2 * CLOCK_WAYS_MAX];
	uint64_t start_ns = clocks_read_raw_ns();
	struct cpu_times_steal before = cpu_times_steal_read(), after;
	double *values = calloc((size_t)2 * CLOCK_WAYS_MAX * rounds, sizeof(*values));
	uint64_t *word =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*c = (struct clock_costs){
		.rounds = rounds, .batches = CLOCK_COSTS_BATCHES, .confidence = CONFIDENCE};
	if (values && word != MAP_FAILED) {
		*word = 1;
		clock_ways_set_word(word);
		add_ways(c, all);
		prepare(c, series, values);
		run_rounds(c, series);
		for (size_t i = 0; i < c->count; i++) {
			c->cost[i].flow =
				replications_mean(series[2 * i].round, rounds, CONFIDENCE);
			c->cost[i].alone =
				replications_mean(series[2 * i + 1].round, rounds, CONFIDENCE);
		}
	}
	if (word != MAP_FAILED)
		munmap(word, 4096);
	free(values);
	after = cpu_times_steal_read();
	c->stolen = cpu_times_steal_share(&before, &after);
	c->took_s = (double)(clocks_read_raw_ns() - start_ns) / 1e9;
	return c->count ? 0 : -1;
}

double clock_costs_roughly_ns(enum scp_clock_kind kind)
{
	for (size_t i = 0; i < clock_ways_count; i++)
		if (clock_ways[i].kind == kind)
			return one_round(&(struct series){.loop = clock_ways[i].flow,
							  .empty = clock_ways_nothing.flow,
							  .readings = ROUGH_READS});
	return NAN;
}

const struct clock_cost *clock_costs_find(const struct clock_costs *c, enum scp_clock_kind kind)
{
	for (size_t i = 0; i < c->count; i++)
		if (kind != SCP_CLOCK_NONE && c->cost[i].way->kind == kind)
			return &c->cost[i];
	return NULL;
}

const char *clock_costs_place(const struct clock_costs *c, const struct clock_cost *cost)
{
	static const char *const words[] = {"memory", "instruction", "vDSO", "system call"};

	if (cost->way->place != CLOCK_IN_LIBRARY)
		return words[cost->way->place];
	for (size_t i = 0; i < c->count; i++) {
		const struct clock_cost *other = &c->cost[i];

		if (other->way->place == CLOCK_SYSTEM_CALL &&
		    !strcmp(other->way->name, cost->way->name) &&
		    cost->flow.mean > 0.8 * other->flow.mean)
			return words[CLOCK_SYSTEM_CALL];
	}
	return words[CLOCK_IN_LIBRARY];
}
