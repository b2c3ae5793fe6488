// SPDX-License-Identifier: GPL-3.0-or-later
/* The head of a report in words, numbers formatted; private to report/. Texts may hold
 * names from the profile and are not yet clean. `utf8` allows the micro sign. */
#ifndef SCPROF_REPORT_MODEL_REPORT_HEAD_H
#define SCPROF_REPORT_MODEL_REPORT_HEAD_H

#include "report/report.h"

typedef void report_head_sink(void *to, const char *name, const char *raw);

/* The process, the clocks, the overhead, the calls, the confidence: "clock", "tsc, one tick ...".
 * A line that finds no memory is left out. */
void report_head_each(const struct report *r, bool utf8, report_head_sink *sink, void *to);

/* The two parts of the short head: what ran and what was left out, which come before any number;
 * how many calls, by which clock, at what cost. */
void report_head_run(const struct report *r, bool utf8, report_head_sink *sink, void *to);
void report_head_calls(const struct report *r, bool utf8, report_head_sink *sink, void *to);

/* Whether calls and the time between them add up. */
void report_head_check(const struct report *r, bool utf8, report_head_sink *sink, void *to);

/* The command line of what was to be run, or of how many programs there are runs; free() it. NULL:
 * no process, or out of memory. */
char *report_head_command(const struct report *r);

#endif
