// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as one HTML page that needs nothing else: no network, no other file.
 *
 * The page itself is report/html/, put together when scprof is built (html_page.c); what is
 * written here is the data between its two halves: the finished report, numbers as numbers, in
 * arrays. The page only lays out and formats. */
#ifndef SCPROF_REPORT_RENDER_HTML_HTML_H
#define SCPROF_REPORT_RENDER_HTML_HTML_H

#include "report/report.h"

/* Print all of it. 0, or -1: out of memory. Errors of the stream stay in it. */
int html_print(struct report *r, const struct report_options *o, FILE *out);

/* The page before and after its data. */
extern const char html_page_head[], html_page_tail[];

#endif
