// SPDX-License-Identifier: GPL-3.0-or-later
/* The ways to read the time: a shared word, instructions of the machine, and what the kernel
 * offers, through the C library and past it. */
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clock_costs.h"
#include "collector/clocks/counter.h"

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

void clock_ways_set_word(const uint64_t *word)
{
	the_word = word;
	the_half_word = (const uint32_t *)word;
}

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

const struct clock_way clock_ways_nothing =
	CLOCK_WAY(nothing, "nothing", "", CLOCK_IN_MEMORY, SCP_CLOCK_NONE, NULL);

const struct clock_way clock_ways[] = {
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
const size_t clock_ways_count = sizeof(clock_ways) / sizeof(*clock_ways);
