// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of the self-test, one file each. A reading is in the clock's own
 * units (cycles, nanoseconds, ticks); ns_per_unit converts. */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCKS_PRIVATE_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCKS_PRIVATE_H

#include "collector/clocks/clocks.h"
#include "collector/clocks/ticker.h"

typedef uint64_t clock_reader(void);

struct clock_source {
	enum scp_clock_kind kind;
	clock_reader *read;
	clock_reader *read_ordered; /* not before the loads that precede it */
	double ns_per_unit;
	double wait_s; /* how long to look for steps */
};

/* clocks_read.c: the readers. The page reader reads the page last set. */
const struct clock_source *clocks_read_source(enum scp_clock_kind kind);
void clocks_read_set_page(const struct scp_clock_page *page);
uint64_t clocks_read_raw_ns(void); /* CLOCK_MONOTONIC_RAW */

/* clocks_measure.c */
double clocks_measure_read_cost_ns(clock_reader *read); /* roughly and at once; with its call */
/* Looks for wait_s; on a busy machine until it could look that long, or saw several steps,
 * for two seconds more at most. 0: it did not move. */
uint64_t clocks_measure_smallest_step(clock_reader *read, double wait_s);

/* clocks_drift.c: a reading and the raw clock, taken together: the reading was
 * taken at raw_ns, give or take width_ns / 2. */
struct clock_pair {
	uint64_t reading, raw_ns, width_ns;
};
struct clock_pair clocks_drift_pair(clock_reader *read); /* the narrowest of several */
/* Units per nanosecond between two pairs, and the bound of its relative error. */
double clocks_drift_rate(const struct clock_pair *a, const struct clock_pair *b, double *error);
/* All but the coarse clock, whose drift comes from its ticks (clocks_watch). */
void clocks_drift_all(struct clocks_report *r, double window_s);

/* clocks_watch.c: steps of all clocks, ticks of the coarse ones; needs the TSC's
 * rate. -1: out of memory. */
int clocks_watch(struct clocks_report *r, double window_s);

/* clocks_late.c */
void clocks_late_set(struct clock_lateness *l, const struct ticker_stats *s);
int clocks_late_measure(struct clocks_report *r, const char *directory, double window_s,
			struct profile_error *err);

/* clocks_cpus.c */
void clocks_cpus_pin(int cpu); /* the calling thread */
void clocks_cpus_compare(struct clock_test *test, const struct clock_source *source,
			 double budget_s);
void clocks_cpus_move_thread(struct clock_test *test, const struct clock_source *source,
			     double budget_s);

/* clocks_verdict.c */
/* Beilner 1988, eq. (14b), solved for the mean that n calls give with a tick of d
 * to an interval of total width `width` x mean at `confidence`. */
double clocks_verdict_smallest_mean(double d, double n, double confidence, double width);
/* `busy`: the page clock's lateness at its default tick on busy CPUs; NULL: not known. */
void clocks_verdict_judge(struct clock_test *test, bool tsc_trusted, const char *tsc_reason,
			  const struct clock_lateness *busy);

static inline struct clock_test *clocks_test_of(struct clocks_report *r, enum scp_clock_kind kind)
{
	return &r->clock[kind - 1]; /* enum scp_clock_kind counts them from 1 in this order */
}

#endif
