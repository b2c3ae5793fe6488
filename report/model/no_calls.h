// SPDX-License-Identifier: GPL-3.0-or-later
/* A report without calls: why, and what would show some. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_NO_CALLS_H
#define SCPROF_REPORT_MODEL_NO_CALLS_H

#include "report/report.h"

/* Adds the warning `no-calls` where it is due. Of a report that is complete but for warnings. */
void no_calls_warn(struct report *r);

#endif
