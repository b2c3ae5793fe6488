// SPDX-License-Identifier: GPL-3.0-or-later
/* What a profile leaves out on purpose, in words, so that nobody takes a filtered profile for a
 * complete one. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_FILTER_SUMMARY_H
#define SCPROF_REPORT_MODEL_FILTER_SUMMARY_H

#include "report/report.h"

/* "only below serve; paths of at most 4 frames; ...". free() it. NULL: nothing was left out, or
 * out of memory. */
char *filter_summary_describe(const struct profile *p);

/* Share of the processes' lives that was recorded; NAN where recording could not stop. */
double filter_summary_recorded_share(const struct profile *p);

/* Filters that were asked for and are not in force, and what they could not decide. */
void filter_summary_warn(struct report *r);

#endif
