// SPDX-License-Identifier: GPL-3.0-or-later
/* What was done to processes that the tool went to while they ran (struct prof_attached). Private
 * to report/. */
#ifndef SCPROF_REPORT_MODEL_ATTACH_SUMMARY_H
#define SCPROF_REPORT_MODEL_ATTACH_SUMMARY_H

#include "report/report.h"

/* Of all processes together. known: false, nobody went to any. `threads` and the like are sums;
 * stopped_ns is the longest; flags are those that all have. */
struct prof_attached attach_summary_of(const struct profile *p, uint64_t *processes);

/* "to 7 threads, which were held up for 3.1 ms at most; ..." free() it. NULL: nobody went to any,
 * or out of memory. */
char *attach_summary_describe(const struct profile *p, bool utf8);

/* What attaching cannot see, and slots that were left. */
void attach_summary_warn(struct report *r);

#endif
