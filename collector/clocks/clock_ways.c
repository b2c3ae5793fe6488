// SPDX-License-Identifier: GPL-3.0-or-later
/* The ways that are no instruction of one machine: a shared word, and what the
 * kernel offers, through the C library and past it. */
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "collector/clocks/clock_ways_loops.h"
#include "collector/clocks/clock_costs.h"

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

const struct clock_way clock_ways_nothing =
	CLOCK_WAY(nothing, "nothing", "", CLOCK_IN_MEMORY, SCP_CLOCK_NONE, NULL);

const struct clock_way clock_ways_memory[] = {
	CLOCK_WAY(half_word, "shared word", "32 bits", CLOCK_IN_MEMORY, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(word, "shared word", "64 bits", CLOCK_IN_MEMORY, SCP_CLOCK_PAGE, NULL),
};
const size_t clock_ways_memory_count = sizeof(clock_ways_memory) / sizeof(*clock_ways_memory);

const struct clock_way clock_ways_kernel[] = {
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
const size_t clock_ways_kernel_count = sizeof(clock_ways_kernel) / sizeof(*clock_ways_kernel);
