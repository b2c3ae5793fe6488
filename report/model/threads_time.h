// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of all threads went, and whether the kernel charged them as much. Private to
 * report/. */
#ifndef SCPROF_REPORT_MODEL_THREADS_TIME_H
#define SCPROF_REPORT_MODEL_THREADS_TIME_H

#include "report/report.h"

/* After states_find_stolen. */
void threads_time_fill(struct report *r);

/* What most of it was, to end "the program mostly ..."; NULL: not known. */
const char *threads_time_mostly(const struct report_threads_time *t);

/* Warnings about the detector of switches, and of a check that fails. */
void threads_time_warn(struct report *r);

#endif
