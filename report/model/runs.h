// SPDX-License-Identifier: GPL-3.0-or-later
/* Which processes ran together. Profiles of several runs may be reported at once; the time between
 * two runs is nobody's. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_RUNS_H
#define SCPROF_REPORT_MODEL_RUNS_H

#include "report/report.h"

/* Fill runs, run_of, profiles and wall_s, after account_threads. Processes belong to one run
 * where one is the parent of the other, or became the other (exec), or where they come from one
 * file and have one parent or overlap in time. -1: out of memory. */
int runs_find(struct report *r);

/* Fill wall_s and runs of the programs, whose wall_s are NAN. -1: out of memory. */
int runs_measure(struct report *r);

#endif
