// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as a gzipped profile.proto, which Google's pprof, Parca, Pyroscope and
 * speedscope open. A sample is a site: its calls, its time and its bytes; an
 * outcome of its calls other than "completed" is a label. The format has no place for intervals; a
 * comment names the warnings. */
#ifndef SCPROF_REPORT_RENDER_PPROF_PPROF_H
#define SCPROF_REPORT_RENDER_PPROF_PPROF_H

#include "report/report.h"

int pprof_print(struct report *r, const struct report_options *o, FILE *out);

#endif
