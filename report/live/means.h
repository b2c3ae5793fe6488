// SPDX-License-Identifier: GPL-3.0-or-later
/* Means of a live picture's rows with their intervals: of the whole run exactly as a report has
 * them, and of a window of it. Pure. */
#ifndef SCPROF_REPORT_LIVE_MEANS_H
#define SCPROF_REPORT_LIVE_MEANS_H

#include "report/model/estimate.h"
#include "report/model/site_sums.h"

/* A mean, compensated for what recording adds; NAN: nothing can be said. */
struct row_mean {
	double mean_ns, low_ns, high_ns;
	double relative;       /* half width on the wider side over the mean */
	double design;	       /* design effect; NAN: not known */
	double freedom;	       /* of the error */
	unsigned doubts;       /* enum stats_doubt */
	uint64_t calls;	       /* that it is of */
	uint64_t warmup_calls; /* set aside, before them */
};

struct row_mean means_nothing(void);

/* Of a settled row: what site_fill makes of the same sums. */
struct row_mean means_of_run(const struct prof_clock *clock, const struct whole *w,
			     double confidence);

/* Of a window's sums, all of its calls; run_design: of the run (see means_widen). Its doubts
 * know nothing of phases, which are not kept by windows. */
struct row_mean means_of_window(const struct prof_clock *clock, const struct prof_sums *s,
				double run_design, double confidence);

/* A window of a second is hardly ever a number of whole batches, which join in pairs as the run
 * goes on: its own calls say how they scatter, not how they depend on each other. So where
 * `e`, made of the window's sums, has no design effect of its own, that of the whole run
 * stands for it if it is more than 1: the interval becomes sqrt(design) times as wide on either
 * side. Dependence over longer times than the window is in the run's, too; then this is
 * wider than need be, never narrower (tests/unit/test_live_window.c has the coverage). */
void means_widen(struct report_estimate *e, double run_design);

/* Half the width on the wider side over the mean; NAN where that says nothing. */
double means_relative(const struct report_estimate *e);

#endif
