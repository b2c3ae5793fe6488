// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs whose calls follow each other in simulated time: what they are doing changes in that
 * time, not by calls. The truth is known by formula. What the library would keep of them. */
#ifndef BENCH_WATCHED_PROGRAMS_H
#define BENCH_WATCHED_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/mean/mean_interval.h"

#define PROGRAMS_LEVELS 9
#define PROGRAMS_S	1e9 /* ns */

struct program {
	double now; /* ns */
	double state_end;
	unsigned state;
	double level[PROGRAMS_LEVELS], level_at;
	double all; /* what the mean of the run so far ought to be, where it changes: sum over calls
		     */
	double calls;
};

/* `gap`: from when a call begins to when the next one does; calls may overlap, as of threads. */
struct call {
	double gap, time;
};

/* Laws "tuned" are those that rules were made with, those held out judge them. */
struct program_law {
	const char *name, *what;
	struct call (*next)(struct program *p, double a, double b);
	double a, b, truth_ms; /* 0: program.all */
	bool held_out;
};
extern const struct program_law programs_laws[];
extern const unsigned programs_count;

/* Is law i one of these names? All are where there is none. */
bool programs_is_named(unsigned i, char *const *name, int names);

void programs_seed(uint64_t seed);

/* A program from its start on: zeros. The time of its next call, in ns. */
double programs_step(const struct program_law *law, struct program *p);
double programs_truth(const struct program_law *law, const struct program *p);

/* Sums and batches as preload/table/batch.c leaves them. */
struct recording {
	struct stats_sums sums;
	uint64_t batch[64], end, base;
	struct stats_batches batches;
};

void programs_begin(struct recording *r);
void programs_record(struct recording *r, double ns);
struct mean_interval programs_estimate(const struct recording *r);

#endif
