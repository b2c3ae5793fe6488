// SPDX-License-Identifier: GPL-3.0-or-later
/* The report in callgrind's format, for KCachegrind and callgrind_annotate: cost
 * of each timed function, and of each call that led there, by source line.
 * Format: valgrind's manual, "Callgrind Format Specification". */
#ifndef SCPROF_REPORT_RENDER_STACKS_CALLGRIND_H
#define SCPROF_REPORT_RENDER_STACKS_CALLGRIND_H

#include "report/report.h"

int callgrind_print(struct report *r, const struct report_options *o, FILE *out);

#endif
