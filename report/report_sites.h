// SPDX-License-Identifier: GPL-3.0-or-later
/* The sites of a report. Private to report/. */
#ifndef SCPROF_REPORT_REPORT_SITES_H
#define SCPROF_REPORT_REPORT_SITES_H

#include "report/model/groups.h"
#include "report/report.h"

/* Fill r->site from the groups, of which it gives each its place: the first `keep` with all that a
 * report shows, of the others what totals and reliability warnings need. -1: out of memory. */
int report_sites_build(struct report *r, struct groups *groups, uint32_t keep);

/* Once the time of all threads is known: what share of it waiting sites have. */
void report_sites_share_waiting(struct report *r);

#endif
