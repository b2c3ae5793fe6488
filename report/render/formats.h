// SPDX-License-Identifier: GPL-3.0-or-later
/* One function for each format of a report (REPORT_FORMATS), beside text (text/text.h) and JSON
 * (json/json.h). Each prints all of it: 0, or -1 without memory. Errors of the stream stay in it.
 */
#ifndef SCPROF_REPORT_RENDER_FORMATS_H
#define SCPROF_REPORT_RENDER_FORMATS_H

#include "report/report.h"

int html_print(struct report *r, const struct report_options *o, FILE *out);
int svg_print(struct report *r, const struct report_options *o, FILE *out);
int pprof_print(struct report *r, const struct report_options *o, FILE *out);
int stacks_folded(struct report *r, const struct report_options *o, FILE *out);
int callgrind_print(struct report *r, const struct report_options *o, FILE *out);
int csv_print(struct report *r, const struct report_options *o, FILE *out);

#endif
