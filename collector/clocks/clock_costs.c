// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reading of each clock of a profile costs: one thing in a stream of other work, where the
 * processor does both at a time, and another where the work waits for it. In a program it lies
 * between the two.
 *
 * A round is the median of short batches less the median of as many batches of the same loop
 * without a reading, taken in turn. The clocks take turns within a round, so that a change of the
 * processor's speed affects all alike and shows in the intervals. A round during which the host
 * stole time is repeated. */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "collector/clocks/clocks_private.h"
#include "collector/machine/cpu_times.h"

/* The loops behind a way are unrolled, since a loop's own cycle would hide a reading as cheap as a
 * load. */
#define UNROLLED 8
#define BATCHES	 21 /* a round */

/* The value is needed, as far as the compiler knows. */
#define KEEP(value) __asm__ volatile("" : : "r"(value))
/* `call` fills `object`, which is needed. */
#define FILL(object, call)                                                                         \
	do {                                                                                       \
		(call);                                                                            \
		__asm__ volatile("" : : "r"(&(object)) : "memory");                                \
	} while (0)

#define EIGHT_TIMES(statement)                                                                     \
	statement;                                                                                 \
	statement;                                                                                 \
	statement;                                                                                 \
	statement;                                                                                 \
	statement;                                                                                 \
	statement;                                                                                 \
	statement;                                                                                 \
	statement

/* Defines ID_flow, whose readings may overlap, and ID_alone, where each waits for all that
 * precedes; `setup` declares what `reading` uses. */
#define CLOCK_WAY_LOOPS(id, setup, reading)                                                        \
	static void id##_flow(uint64_t readings)                                                   \
	{                                                                                          \
		setup;                                                                             \
		for (uint64_t i = 0; i < readings; i += UNROLLED) {                                \
			EIGHT_TIMES(reading);                                                      \
		}                                                                                  \
	}                                                                                          \
	static void id##_alone(uint64_t readings)                                                  \
	{                                                                                          \
		setup;                                                                             \
		for (uint64_t i = 0; i < readings; i += UNROLLED) {                                \
			EIGHT_TIMES(reading; counter_settle());                                    \
		}                                                                                  \
	}

static const volatile uint64_t *the_word;

CLOCK_WAY_LOOPS(nothing, , KEEP(0))
CLOCK_WAY_LOOPS(counter, , KEEP(counter_read()))
CLOCK_WAY_LOOPS(coarse, struct timespec t, FILL(t, clock_gettime(CLOCK_MONOTONIC_COARSE, &t)))
CLOCK_WAY_LOOPS(monotonic, struct timespec t, FILL(t, clock_gettime(CLOCK_MONOTONIC, &t)))
CLOCK_WAY_LOOPS(word, const volatile uint64_t *word = the_word, KEEP(*word))
CLOCK_WAY_LOOPS(thread_cpu, struct timespec t, FILL(t, clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)))

/* By enum scp_clock_kind. `readings` is a multiple of UNROLLED. */
static const struct clock_way {
	void (*flow)(uint64_t readings);
	void (*alone)(uint64_t readings);
} ways[] = {
	{nothing_flow, nothing_alone}, {counter_flow, counter_alone},
	{coarse_flow, coarse_alone},   {monotonic_flow, monotonic_alone},
	{word_flow, word_alone},       {thread_cpu_flow, thread_cpu_alone},
};
_Static_assert(sizeof(ways) / sizeof(*ways) == CLOCKS_TESTED + 1, "one way a clock");

#define SERIES	   (2 * CLOCKS_TESTED) /* two a clock: flow, then alone */
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
	uint64_t from = counter_raw_ns();

	loop(readings);
	return (double)(counter_raw_ns() - from);
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
	return ((uint64_t)readings / UNROLLED + 1) * UNROLLED;
}

static double one_round(const struct series *s)
{
	double with[BATCHES], without[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		with[i] = batch_ns(s->loop, s->readings);
		without[i] = batch_ns(s->empty, s->readings);
	}
	return (replications_median(with, BATCHES) - replications_median(without, BATCHES)) /
	       (double)s->readings;
}

static void prepare(struct series *series, uint32_t rounds, double *values)
{
	for (int i = 0; i < SERIES; i++) {
		const struct clock_way *way = &ways[1 + i / 2];
		void (*loop)(uint64_t) = i % 2 ? way->alone : way->flow;

		series[i] = (struct series){loop, i % 2 ? ways[0].alone : ways[0].flow,
					    readings_a_batch(loop), values + (size_t)i * rounds};
	}
}

/* The same number of rounds may be discarded; after that all are kept. */
static void run_rounds(struct series *series, uint32_t rounds)
{
	uint32_t repeated = 0;

	for (uint32_t round = 0; round < rounds;) {
		struct cpu_times_steal before = cpu_times_steal_read(), after;

		for (int i = 0; i < SERIES; i++)
			series[i].round[round] = one_round(&series[i]);
		after = cpu_times_steal_read();
		if (after.stolen != before.stolen && repeated < rounds)
			repeated++;
		else
			round++;
	}
}

int clock_costs_measure(struct clocks_report *r, uint32_t rounds)
{
	struct series series[SERIES];
	double *values = calloc((size_t)SERIES * rounds, sizeof(*values));
	uint64_t *word =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool ready = values && word != MAP_FAILED;

	if (ready) {
		*word = 1;
		the_word = word;
		prepare(series, rounds, values);
		run_rounds(series, rounds);
		for (int i = 0; i < CLOCKS_TESTED; i++) {
			r->clock[i].read =
				replications_mean(series[2 * i].round, rounds, CONFIDENCE);
			r->clock[i].read_alone =
				replications_mean(series[2 * i + 1].round, rounds, CONFIDENCE);
		}
		r->read_rounds = rounds;
	}
	if (word != MAP_FAILED)
		munmap(word, 4096);
	free(values);
	return ready ? 0 : -1;
}

double clock_costs_monotonic_ns(void)
{
	return one_round(&(struct series){
		.loop = monotonic_flow, .empty = nothing_flow, .readings = ROUGH_READS});
}
