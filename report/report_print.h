// SPDX-License-Identifier: GPL-3.0-or-later
/* From profiles to a printed report or comparison, in any format: the top of report/. */
#ifndef SCPROF_REPORT_REPORT_PRINT_H
#define SCPROF_REPORT_REPORT_PRINT_H

#include "report/compare/diff.h"
#include "report/report.h"

/* Build a report, find its names and print it. 0, or -1 with errno set: out of memory, or the
 * stream failed. The stream is flushed. */
int report_print(const struct profile *p, const struct report_options *o, FILE *out);

/* Print a comparison as its options say; the rest as report_print. */
int report_print_diff(struct diff *d, FILE *out);

#endif
