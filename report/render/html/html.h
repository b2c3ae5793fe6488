// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as one HTML page that needs nothing else: no network, no other file.
 *
 * The page is put together from html/page/ when scprof is built. Between its two halves goes the
 * data: the finished report in flat arrays, numbers as numbers. The page only lays out and
 * formats. */
#ifndef SCPROF_REPORT_RENDER_HTML_HTML_H
#define SCPROF_REPORT_RENDER_HTML_HTML_H

#include "report/report.h"

/* Print all of it. 0, or -1: out of memory. Errors of the stream stay in it. */
int html_print(struct report *r, const struct report_options *o, FILE *out);

#endif
