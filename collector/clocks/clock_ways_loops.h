// SPDX-License-Identifier: GPL-3.0-or-later
/* The loops behind a way to read the time; private to clock_ways*.c. Unrolled,
 * since a loop's own cycle would hide a reading as cheap as a load. */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCK_WAYS_LOOPS_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCK_WAYS_LOOPS_H

#include "collector/clocks/clock_costs.h"
#include "collector/clocks/counter.h"

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

#endif
