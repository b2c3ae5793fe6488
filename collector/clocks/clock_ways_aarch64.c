// SPDX-License-Identifier: GPL-3.0-or-later
/* The generic timer's virtual count, read unordered and in order. */
#include "collector/clocks/clock_ways_loops.h"
#include "collector/clocks/clock_costs.h"

CLOCK_WAY_LOOPS(cntvct_low, , KEEP((uint32_t)counter_read()))
CLOCK_WAY_LOOPS(cntvct, , KEEP(counter_read()))
CLOCK_WAY_LOOPS(isb_cntvct, , KEEP(counter_read_ordered()))

const struct clock_way clock_ways_machine[] = {
	CLOCK_WAY(cntvct_low, "cntvct_el0, low half", "32 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE,
		  NULL),
	CLOCK_WAY(cntvct, "cntvct_el0", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_TSC, NULL),
	CLOCK_WAY(isb_cntvct, "isb; cntvct_el0", "64 bits", CLOCK_INSTRUCTION, SCP_CLOCK_NONE,
		  NULL),
};
const size_t clock_ways_machine_count = sizeof(clock_ways_machine) / sizeof(*clock_ways_machine);
