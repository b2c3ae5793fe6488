// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of the self-test, one file each. */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCKS_PRIVATE_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCKS_PRIVATE_H

#include "collector/clocks/clocks.h"
#include "collector/clocks/clocks_measure.h"
#include "collector/clocks/ticker.h"

/* clocks_drift.c: all but the coarse clock, whose drift comes from its ticks (clocks_watch). */
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
