// SPDX-License-Identifier: GPL-3.0-or-later
/* The TSC, read unordered, after all loads, and by the instruction made for that. */
#include <cpuid.h>

#include "collector/clocks/clock_ways_loops.h"
#include "collector/clocks/clock_costs.h"

static bool has_rdtscp(void)
{
	unsigned int a, b, c, d = 0;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & (1u << 27));
}

CLOCK_WAY_LOOPS(rdtsc_low, , KEEP((uint32_t)__rdtsc()))
CLOCK_WAY_LOOPS(rdtsc, , KEEP(__rdtsc()))
CLOCK_WAY_LOOPS(lfence_rdtsc, , KEEP(counter_read_ordered()))
CLOCK_WAY_LOOPS(rdtscp, unsigned int cpu, KEEP(__rdtscp(&cpu)))

const struct clock_way clock_ways_machine[] = {
	CLOCK_WAY(rdtsc_low, "rdtsc, low half", "32 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE, NULL),
	CLOCK_WAY(rdtsc, "rdtsc", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_TSC, NULL),
	CLOCK_WAY(lfence_rdtsc, "lfence; rdtsc", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE,
		  NULL),
	CLOCK_WAY(rdtscp, "rdtscp", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE, has_rdtscp),
};
const size_t clock_ways_machine_count = sizeof(clock_ways_machine) / sizeof(*clock_ways_machine);
