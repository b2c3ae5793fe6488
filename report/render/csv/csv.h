// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of a report as CSV (RFC 4180: CRLF, quotes doubled), the first line
 * naming the columns as the JSON report does. The rows are sites, gaps,
 * threads or processes, as report.by says. Unknown values are empty. A text that a
 * spreadsheet would take for a formula has a ' before it. */
#ifndef SCPROF_REPORT_RENDER_CSV_CSV_H
#define SCPROF_REPORT_RENDER_CSV_CSV_H

#include "report/report.h"

int csv_print(struct report *r, const struct report_options *o, FILE *out);

#endif
