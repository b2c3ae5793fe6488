// SPDX-License-Identifier: GPL-3.0-or-later
/* What the means of a site differ by between several runs: then its intervals are about the next
 * run, and not only about those that were recorded. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_RUN_TO_RUN_H
#define SCPROF_REPORT_MODEL_RUN_TO_RUN_H

#include "report/model/groups.h"
#include "report/report.h"

/* Of two runs an interval between them is so wide that it says nothing. */
#define RUN_TO_RUN_LEAST 3

struct run_to_run;

/* For a report's sites, after runs_find; NULL where there are too few runs, or no memory. */
struct run_to_run *run_to_run_begin(const struct report *r);

/* Each run's means of a row, which is the site at `place`, less than r->sites. */
void run_to_run_note(struct run_to_run *t, const struct report *r, const struct groups *groups,
		     const struct group_row *row, uint32_t place);

/* Widen the intervals of elapsed time, of calls that kept their CPU, on CPU and charged, where runs
 * differ by more than each run's own interval says. `t` may be NULL, and is freed. */
void run_to_run_finish(struct run_to_run *t, struct report *r);

#endif
