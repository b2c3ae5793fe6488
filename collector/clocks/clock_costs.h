// SPDX-License-Identifier: GPL-3.0-or-later
/* Every way to read the time here, and what one reading costs: Figure 1 of P. Danzig and S. Melvin,
 * "High resolution timing with low resolution clocks and a microsecond resolution timer for Sun
 * workstations" (1990), for the machine at hand, with the precision and confidence that they left
 * out.
 *
 * A reading costs one thing in a stream of other work, where the processor does both at a time, and
 * another where the work waits for it. Both are measured:
 *   flow   readings one after the other, free to overlap
 *   alone  each reading waits for the one before it and for all that precedes;
 *          what the waiting itself costs is subtracted
 * In a program it lies between the two.
 *
 * How: a round is the median of CLOCK_COSTS_BATCHES short batches less the median of as many
 * batches of the same loop without a reading, taken in turn; ways take turns within a round. A
 * round during which the host stole time is repeated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/mean/replications.h"
#include "profile/profile.h"

enum clock_place { CLOCK_IN_MEMORY, CLOCK_INSTRUCTION, CLOCK_IN_LIBRARY, CLOCK_SYSTEM_CALL };

struct clock_way {
	const char *name;
	const char *gives; /* "64 bits", "timeval", ... */
	enum clock_place place;
	enum scp_clock_kind kind; /* the profile's clock that is read like this, or NONE */
	bool (*usable)(void);	  /* NULL: everywhere */
	/* `readings`: a multiple of CLOCK_WAYS_UNROLLED */
	void (*flow)(uint64_t readings);
	void (*alone)(uint64_t readings);
};

#define CLOCK_WAYS_UNROLLED 8
#define CLOCK_WAYS_MAX	    24
#define CLOCK_COSTS_BATCHES 21

struct clock_cost {
	const struct clock_way *way;
	struct replications_mean flow, alone; /* nanoseconds a reading */
};

struct clock_costs {
	struct clock_cost cost[CLOCK_WAYS_MAX];
	size_t count;
	uint32_t rounds, batches; /* batches a round */
	uint32_t repeated;	  /* rounds discarded because the host stole time */
	double confidence;
	double stolen; /* share of the CPUs' time that was stolen, discarded rounds included; NAN:
			  not known */
	double took_s;
};

/* Every way (`all`), or those of the profile's clocks only. 0, or -1: out of memory. */
int clock_costs_measure(struct clock_costs *c, bool all, uint32_t rounds);

/* The same of one clock, from one round that takes some tenths of a millisecond. NAN: there is no
 * such way. */
double clock_costs_roughly_ns(enum scp_clock_kind kind);

/* The cost of reading a profile's clock; NULL: not among those measured. */
const struct clock_cost *clock_costs_find(const struct clock_costs *c, enum scp_clock_kind kind);

/* "memory", "instruction", "vDSO", "system call". Whether the C library stays
 * out of the kernel is seen from the costs: well below those of the system call. */
const char *clock_costs_place(const struct clock_costs *c, const struct clock_cost *cost);
