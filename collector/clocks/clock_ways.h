// SPDX-License-Identifier: GPL-3.0-or-later
/* Between the lists of ways and what measures them. */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCK_WAYS_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCK_WAYS_H

#include "collector/clocks/clock_costs.h"

/* clock_ways.c: before any way that reads memory is used. */
void clock_ways_set_word(const uint64_t *word);

extern const struct clock_way clock_ways_nothing; /* the loops alone */
extern const struct clock_way clock_ways_memory[], clock_ways_kernel[];
extern const size_t clock_ways_memory_count, clock_ways_kernel_count;

/* clock_ways_ARCH.c: those that are instructions. */
extern const struct clock_way clock_ways_machine[];
extern const size_t clock_ways_machine_count;

#endif
