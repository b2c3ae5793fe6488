// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of all threads went, and whether the kernel charged them as much. Private to
 * report/. */
#ifndef SCPROF_REPORT_MODEL_THREADS_TIME_H
#define SCPROF_REPORT_MODEL_THREADS_TIME_H

#include "report/report.h"

/* Were the threads kept waiting for a CPU for more than a fifth of their time, as the kernel counts
 * it? */
bool threads_time_overloaded(const struct profile *p);

/* After states_find_stolen. */
void threads_time_fill(struct report *r);

/* What most of it was, to end "the program mostly ..."; NULL: not known. */
const char *threads_time_mostly(const struct report_threads_time *t);

/* Of all time on a CPU that in calls, in s. Estimated by itself, it can be beyond the whole on
 * either side: not here. */
double threads_time_cpu_in_calls_s(const struct report_threads_time *t);

/* CPU time that the kernel charged to the processes (the ledger's) and not to recorded threads
 * while they were recorded, in s; NAN: not known. */
double threads_time_not_recorded_s(const struct report *r);

/* What calls, the time between them and that explain of the processes' CPU time, less 1; where that
 * is not known, calls and the time between them of the threads'. NAN: not known. */
double threads_time_difference(const struct report *r);

/* No more than the sample of readings may be off by, and 1 %. */
bool threads_time_agrees(const struct report *r);

/* Warnings about the detector of switches, and of a check that fails. */
void threads_time_warn(struct report *r);

#endif
