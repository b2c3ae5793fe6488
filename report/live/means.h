// SPDX-License-Identifier: GPL-3.0-or-later
/* Means of a live picture's rows with their intervals: of the whole run exactly as in a report,
 * and of a window of it. Pure functions. */
#ifndef SCPROF_REPORT_LIVE_MEANS_H
#define SCPROF_REPORT_LIVE_MEANS_H

#include "report/model/sites.h"

/* A mean, compensated for what recording adds; NAN: nothing can be said. */
struct row_mean {
	double mean_ns, low_ns, high_ns;
	double relative;       /* half width on the wider side over the mean */
	double design;	       /* design effect; NAN: not known */
	double freedom;	       /* of the error */
	unsigned unreliable;   /* enum stats_unreliable */
	uint64_t calls;	       /* that it is of */
	uint64_t warmup_calls; /* excluded, before them */
};

struct row_mean means_nothing(void);

/* Of a settled row: what site_fill makes of the same sums. */
struct row_mean means_of_run(const struct prof_clock *clock, const struct site_sums *w,
			     double confidence);

/* Of the sums of a window; run_design: design effect of the run (see means_widen). Windows have
 * no phases, so warnings about phases are missing. */
struct row_mean means_of_window(const struct prof_clock *clock, const struct prof_sums *s,
				double run_design, double confidence);

/* Widen the interval of a short window. Batches join in pairs as the run goes on, so a window of
 * a second rarely has whole batches: its calls show their variance, but not their dependence. If
 * `e`, made of the window's sums, has no design effect, that of the whole run is used if it
 * exceeds 1: each half of the interval becomes sqrt(design) times as wide. The run's design
 * effect includes dependence over longer times than the window, so the interval may be too wide,
 * never too narrow (tests/unit/report/test_live_window.c has the coverage). */
void means_widen(struct mean_interval *e, double run_design);

/* The wider half of the interval, divided by the mean; NAN: unknown. */
double means_relative(const struct mean_interval *e);

/* `relative` as it must be to hold at all looks together, from STOPPING_LEAST_S on: the interval's
 * Student quantile replaced by that of sequential_t. NAN: unknown, or too early. */
double means_watched(const struct row_mean *m, double confidence, double run_s);

#endif
