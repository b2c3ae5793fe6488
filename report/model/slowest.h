// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls of a report; private to report/. */
#ifndef SCPROF_REPORT_MODEL_SLOWEST_H
#define SCPROF_REPORT_MODEL_SLOWEST_H

#include "report/report.h"

/* After the sites and processes. -1: out of memory. */
int slowest_fill(struct report *r);

/* What the list may lack. */
void slowest_warn(struct report *r);

#endif
