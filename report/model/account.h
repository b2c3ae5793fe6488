// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of all threads went: gaps, threads and processes of a report, and whether calls
 * and gaps add up to it. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_ACCOUNT_H
#define SCPROF_REPORT_MODEL_ACCOUNT_H

#include "report/report.h"

/* Threads and processes, and the remainder. -1: out of memory. */
int account_threads(struct report *r);
/* After that. `site_of`: the site of each of the profile's entries. -1: out of memory. */
int account_gaps(struct report *r, const uint32_t *site_of);

#endif
