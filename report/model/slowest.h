// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls of a report; private to report/. */
#ifndef SCPROF_REPORT_MODEL_SLOWEST_H
#define SCPROF_REPORT_MODEL_SLOWEST_H

#include "report/report.h"

/* Needs the report's sites and processes. -1: out of memory. */
int slowest_fill(struct report *r);

/* Warn where slow calls may be missing from the list. */
void slowest_warn(struct report *r);

#endif
