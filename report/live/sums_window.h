// SPDX-License-Identifier: GPL-3.0-or-later
/* The interval of a mean over a short window of a longer measurement. */
#ifndef SCPROF_REPORT_LIVE_SUMS_WINDOW_H
#define SCPROF_REPORT_LIVE_SUMS_WINDOW_H

#include "report/model/estimate.h"

/* A window of a second is hardly ever a number of whole batches, which join in pairs as the run
 * goes on: its own calls say how they scatter, not how they depend on each other. So where
 * `e`, made of the window's sums, has no design effect of its own, that of the whole run
 * stands for it if it is more than 1: the interval becomes sqrt(design) times as wide on either
 * side. Dependence over longer times than the window is in the run's, too; then this is
 * wider than need be, never narrower (tests/unit/report/test_live_window.c has the coverage). */
void sums_window_widen(struct report_estimate *e, double run_design);

/* Half the width on the wider side over the mean; NAN where that says nothing. */
double sums_window_relative(const struct report_estimate *e);

#endif
