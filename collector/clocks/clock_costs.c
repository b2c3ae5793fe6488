// SPDX-License-Identifier: GPL-3.0-or-later
/* Measures batches within rounds and takes the ways in turn, so that a change of the processor's
 * speed affects all alike and shows in the intervals. */
#include "collector/clocks/clock_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clocks_private.h"
#include "profile/base/counter.h"
#include "collector/machine/cpu_times.h"

/* The ways to read the time: a shared word, instructions of the machine, and what the kernel
 * offers, through the C library and past it. */

/* The loops behind a way are unrolled, since a loop's own cycle would hide a reading as cheap as a
 * load. */

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

/* Defines ID_flow and ID_alone; `setup` declares what `reading` uses. */
#define CLOCK_WAY_LOOPS(id, setup, reading)                                                        \
	static void id##_flow(uint64_t readings)                                                   \
	{                                                                                          \
		setup;                                                                             \
		for (uint64_t i = 0; i < readings; i += CLOCK_WAYS_UNROLLED) {                     \
			EIGHT_TIMES(reading);                                                      \
		}                                                                                  \
	}                                                                                          \
	static void id##_alone(uint64_t readings)                                                  \
	{                                                                                          \
		setup;                                                                             \
		for (uint64_t i = 0; i < readings; i += CLOCK_WAYS_UNROLLED) {                     \
			EIGHT_TIMES(reading; counter_settle());                                    \
		}                                                                                  \
	}

#define CLOCK_WAY(id, words, result, where, clock, test)                                           \
	{                                                                                          \
		.name = (words), .gives = (result), .place = (where), .kind = (clock),             \
		.usable = (test), .flow = id##_flow, .alone = id##_alone                           \
	}

static const volatile uint64_t *the_word;
static const volatile uint32_t *the_half_word;

CLOCK_WAY_LOOPS(nothing, , KEEP(0))
CLOCK_WAY_LOOPS(half_word, const volatile uint32_t *word = the_half_word, KEEP(*word))
CLOCK_WAY_LOOPS(word, const volatile uint64_t *word = the_word, KEEP(*word))
CLOCK_WAY_LOOPS(coarse, struct timespec t, FILL(t, clock_gettime(CLOCK_MONOTONIC_COARSE, &t)))
CLOCK_WAY_LOOPS(monotonic, struct timespec t, FILL(t, clock_gettime(CLOCK_MONOTONIC, &t)))
CLOCK_WAY_LOOPS(timeval, struct timeval t, FILL(t, gettimeofday(&t, NULL)))
CLOCK_WAY_LOOPS(seconds, time_t t, FILL(t, time(&t)))
CLOCK_WAY_LOOPS(monotonic_call, struct timespec t,
		FILL(t, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t)))
CLOCK_WAY_LOOPS(timeval_call, struct timeval t, FILL(t, syscall(SYS_gettimeofday, &t, NULL)))
CLOCK_WAY_LOOPS(thread_cpu, struct timespec t, FILL(t, clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)))
CLOCK_WAY_LOOPS(rusage, struct rusage t, FILL(t, getrusage(RUSAGE_THREAD, &t)))

#if defined(__x86_64__)
#include <cpuid.h>

/* The TSC, read unordered, after all loads, and by the instruction made for that. */
static bool has_rdtscp(void)
{
	unsigned int a, b, c, d = 0;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & (1u << 27));
}

CLOCK_WAY_LOOPS(rdtsc_low, , KEEP((uint32_t)__rdtsc()))
CLOCK_WAY_LOOPS(rdtsc, , KEEP(__rdtsc()))
CLOCK_WAY_LOOPS(lfence_rdtsc, , KEEP(counter_read_ordered()))
CLOCK_WAY_LOOPS(rdtscp, unsigned int cpu, KEEP(__rdtscp(&cpu)))
#else
/* The generic timer's virtual count, read unordered and in order. */
CLOCK_WAY_LOOPS(cntvct_low, , KEEP((uint32_t)counter_read()))
CLOCK_WAY_LOOPS(cntvct, , KEEP(counter_read()))
CLOCK_WAY_LOOPS(isb_cntvct, , KEEP(counter_read_ordered()))
#endif

static const struct clock_way nothing =
	CLOCK_WAY(nothing, "nothing", "", CLOCK_IN_MEMORY, SCP_CLOCK_NONE, NULL);

static const struct clock_way ways[] = {
	CLOCK_WAY(half_word, "shared word", "32 bits", CLOCK_IN_MEMORY, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(word, "shared word", "64 bits", CLOCK_IN_MEMORY, SCP_CLOCK_PAGE, NULL),
#if defined(__x86_64__)
	CLOCK_WAY(rdtsc_low, "rdtsc, low half", "32 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(rdtsc, "rdtsc", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_TSC, NULL),
	CLOCK_WAY(lfence_rdtsc, "lfence; rdtsc", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE,
		  NULL),
	CLOCK_WAY(rdtscp, "rdtscp", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE, has_rdtscp),
#else
	CLOCK_WAY(cntvct_low, "cntvct_el0, low half", "32 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE,
		  NULL),
	CLOCK_WAY(cntvct, "cntvct_el0", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_TSC, NULL),
	CLOCK_WAY(isb_cntvct, "isb; cntvct_el0", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE,
		  NULL),
#endif
	CLOCK_WAY(seconds, "time", "seconds", CLOCK_IN_LIBRARY, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(coarse, "CLOCK_MONOTONIC_COARSE", "timespec", CLOCK_IN_LIBRARY, SCP_CLOCK_COARSE,
		  NULL),
	CLOCK_WAY(monotonic, "CLOCK_MONOTONIC", "timespec", CLOCK_IN_LIBRARY, SCP_CLOCK_MONOTONIC,
		  NULL),
	CLOCK_WAY(timeval, "gettimeofday", "timeval", CLOCK_IN_LIBRARY, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(monotonic_call, "CLOCK_MONOTONIC", "timespec", CLOCK_SYSTEM_CALL, SCP_CLOCK_NONE,
		  NULL),
	CLOCK_WAY(timeval_call, "gettimeofday", "timeval", CLOCK_SYSTEM_CALL, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(thread_cpu, "CLOCK_THREAD_CPUTIME_ID", "timespec", CLOCK_SYSTEM_CALL,
		  SCP_CLOCK_THREAD_CPU, NULL),
	CLOCK_WAY(rusage, "getrusage", "rusage", CLOCK_SYSTEM_CALL, SCP_CLOCK_NONE, NULL),
};
#define WAYS (sizeof(ways) / sizeof(*ways))

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

/* Two series a way: flow, then alone. */
static void prepare(const struct clock_costs *c, struct series *series, double *rounds)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct clock_way *way = c->cost[i].way;

		series[2 * i] = (struct series){way->flow, nothing.flow,
						readings_a_batch(way->flow), rounds};
		rounds += c->rounds;
		series[2 * i + 1] = (struct series){way->alone, nothing.alone,
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
		the_word = word;
		the_half_word = (const uint32_t *)word;
		for (size_t i = 0; i < WAYS && c->count < CLOCK_WAYS_MAX; i++)
			if ((all || ways[i].kind != SCP_CLOCK_NONE) &&
			    (!ways[i].usable || ways[i].usable()))
				c->cost[c->count++].way = &ways[i];
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
	for (size_t i = 0; i < WAYS; i++)
		if (ways[i].kind == kind)
			return one_round(&(struct series){.loop = ways[i].flow,
							  .empty = nothing.flow,
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
