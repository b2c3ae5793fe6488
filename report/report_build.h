// SPDX-License-Identifier: GPL-3.0-or-later
/* Between the files that build a report; private to report/. */
#ifndef SCPROF_REPORT_REPORT_BUILD_H
#define SCPROF_REPORT_REPORT_BUILD_H

#include "report/report.h"

/* Gaps, threads and processes. `site_of` maps the profile's entries to sites.
 * -1: out of memory. */
int account_gaps(struct report *r, const uint32_t *site_of);
int account_threads(struct report *r);

/* Keep what a site has to be warned of. `row`: its number in the grouping, until all have places.
 * -1: out of memory. */
int doubts_note(struct report *r, const struct report_site *s, uint32_t row);

/* Warnings on sites whose intervals may not hold. */
void doubts_collect(struct report *r);

/* Everything a reader must know before trusting the numbers. */
void warnings_collect(struct report *r);

#endif
