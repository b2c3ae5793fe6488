// SPDX-License-Identifier: GPL-3.0-or-later
/* Reliability warnings: sites whose interval may not contain the true mean, or whose mean hides
 * something. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_RELIABILITY_H
#define SCPROF_REPORT_MODEL_RELIABILITY_H

#include "report/report.h"

/* "clock-synchronous", "drift", ... of one bit of enum stats_unreliable or report_finding. */
const char *reliability_name(unsigned bit);
/* "clock-synchronous, heavy-tail": of all bits of enum stats_unreliable in `bits`. */
void reliability_names(unsigned bits, char *out, size_t room);

/* "unknown-dependence", ... of one bit of enum tail_unreliable: of a percentile's limits. */
const char *reliability_tail_name(unsigned bit);

/* Rows with a smaller share of the work raise no warning, and keep their marks: one in a hundred
 * sites has a finding by chance. */
#define RELIABILITY_LEAST_SHARE 0.01

/* Those of a site's findings that are warned of. */
unsigned reliability_findings(const struct report_site *s);

/* Keep what a site has to be warned of. `row`: its number in the grouping, until all have places.
 * -1: out of memory. */
int reliability_note(struct report *r, const struct report_site *s, uint32_t row);

/* One warning a reason: how many sites, which function is the largest of them, what to do. */
void reliability_warn(struct report *r);

#endif
