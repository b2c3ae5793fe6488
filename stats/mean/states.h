// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of calls went: on a CPU, runnable (waiting for one), asleep.
 *
 * Which calls were switched, and how long they took, is known of all. Their off-CPU times are a
 * random sample: a segment (the time between two events of a thread) is read with probability 1 /
 * w, and its off-CPU time y, times w, is added to a sum (Horvitz and Thompson 1952). Durations of
 * all switched calls (`known`) and the weighted ones of those read give the ratio estimate R known,
 * with R = sum y / sum weighted: nearly all of a short one's is off the CPU (Cochran 1977,
 * "Sampling Techniques", section 6.2). Its error is that of the linearised values z = R known + (y
 * - R weighted), which add up to the estimate (section 6.4; 12.7 for two phases). Summed by batches
 * they go through the one rule of mean_interval.h: the choice of segments, the variation of calls
 * and their dependence are all in them. */
#pragma once

#include <stdbool.h>

#include "stats/mean/mean_interval.h"

/* Sums by batches of elapsed.batches; each is NULL, or has an element for each batch. Off-CPU times
 * are in ns, `units` in clock units. */
struct states_batches {
	const uint64_t *calls, *units, *known, *weighted, *runnable, *asleep;
};

/* Sums over calls. Off-CPU times are in ns and weighted; so are their squares and products, of
 * calls: (w y)^2. */
struct states_sample {
	struct stats_sample elapsed; /* all calls; elapsed.sums.unit is in ns */
	/* false: `calls` and what follows are the switched calls. true: there is no detector, and
	 * of calls asked at random they are those that were not switched; `known` means nothing
	 * then, `weighted` is the weighted number of asked calls. */
	bool sampled;
	bool ticker_near; /* the clock tells nothing about calls that kept their CPU */
	uint64_t calls, units;
	stats_u128 units_sq;
	uint64_t readings;	  /* number of calls that were read */
	double switched_weighted; /* sampled: estimated number of switched calls among `weighted` */
	double known, weighted;
	double runnable, asleep;
	double runnable_sq, asleep_sq, runnable_asleep;
	double units_runnable, units_asleep; /* clock units times ns */
	/* By which `runnable` and `asleep`, as of all calls, were made larger than what was read
	 * says, to agree with what is known of the thread (calibration, Deville and Sarndal 1992).
	 * Limits include what was read: few readings know little of their own error. */
	double moved_runnable, moved_asleep;
	/* For calls none of which was read, if `weighted` is 0: off-CPU time per ns in all other
	 * calls; NAN: unknown. */
	double others_runnable, others_asleep;
	struct states_batches batches;
	/* Share of asleep time that the host really stole; it is moved to on_cpu. */
	double asleep_stolen;
};

/* Means of a call in ns. on_cpu + runnable + asleep = the mean of elapsed, exactly. Limits are 0
 * and what switched calls took at most where fewer than two were read; where none was, means are as
 * other calls' are, or NAN. `unreliable` as in mean_interval.h: STATS_HEAVY_TAIL, too, where few
 * readings make the mean. */
struct states_estimate {
	double switched;		 /* number of calls; sampled: estimated */
	struct mean_interval unswitched; /* for calls that kept their CPU; "none": there are none */
	struct mean_interval on_cpu, runnable, asleep;
};

/* elapsed.sums.n > 0. Sums that contradict each other (damaged profiles) give some numbers. Needs
 * up to about 5 kB of stack. */
struct states_estimate states_estimate_means(const struct states_sample *s, double confidence);

/* Sums of batches of the calls that kept their CPU, in clock units, as if all batches had the same
 * number of such calls, which is returned; 0: too few, or of batches. `sum`: room for 64. */
uint64_t states_estimate_batches(const struct states_sample *s, uint64_t *sum, uint32_t *count);
