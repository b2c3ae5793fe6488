// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of the self-test, one file each. */
#pragma once

#include "collector/clocks/clocks.h"
#include "collector/clocks/ticker.h"
#include "collector/machine/cpus.h"
#include "profile/base/counter.h"

/* clock_costs.c: sets `read` and `read_alone` of all clocks. -1: out of memory. */
int clock_costs_measure(struct clocks_report *r, uint32_t rounds);
/* A reading of CLOCK_MONOTONIC, from one round that takes some tenths of a millisecond. */
double clock_costs_monotonic_ns(void);

/* clocks_drift.c: of all clocks. */
void clocks_drift_all(struct clocks_report *r, double window_s);

/* clocks_watch.c: steps of all clocks, ticks of the coarse ones; needs the TSC's
 * rate. -1: out of memory. */
int clocks_watch(struct clocks_report *r, double window_s);

/* clocks_drift.c: how late the page clock's ticks come. */
void clocks_late_set(struct clock_lateness *l, const struct ticker_stats *s);
int clocks_late_measure(struct clocks_report *r, double window_s, struct profile_error *err);

/* clocks_drift.c: a ticker whose page only this process can read. NULL: *err. */
struct ticker *clocks_start_page(uint64_t tick_ns, struct profile_error *err);

/* clocks_cpus.c */
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

/* Steps of one clock against another. A step is a change between the two: an interruption of the
 * watcher for a second is none; one clock's advance by a millisecond more than the other's is one.
 *
 * Each reading is taken between two of the reference clock, which bound how far the one is ahead of
 * the other. The bounds of all readings so far are kept, wider by what a disciplined clock may be
 * slewed meanwhile; a reading whose own bounds lie apart from them proves a step, of at least the
 * distance. Pure; nanoseconds. */

/* NTP may slew by 500 ppm. */
#define STEPS_SLEW 600e-6

struct step_watch {
	bool may_stand; /* a clock of CPU time: falling behind is no step */
	double grace_ns;
	double low, high; /* how far the clock is ahead of the reference */
	double at_ns;	  /* by the reference: when they were last known */
	uint64_t readings, steps;
	double largest_ns; /* signed: forward, or back */
};

/* `grace_ns` is what rounding of the two clocks may make. */
void clocks_watch_begin(struct step_watch *w, bool may_stand, double grace_ns);

/* The clock said reading_ns somewhere between before_ns and after_ns. Each clock
 * counts from an origin of its own. */
void clocks_watch_note(struct step_watch *w, double reading_ns, double before_ns, double after_ns);
