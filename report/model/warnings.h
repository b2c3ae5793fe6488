// SPDX-License-Identifier: GPL-3.0-or-later
/* All warnings of a report but those about the names of frames, which come as they are asked for
 * (frame_symbols.h). Private to report/. */
#ifndef SCPROF_REPORT_MODEL_WARNINGS_H
#define SCPROF_REPORT_MODEL_WARNINGS_H

#include "report/report.h"

/* What a reader must know before trusting the numbers, in the order of its weight. Once, when all
 * rows are filled. */
void warnings_collect(struct report *r);

#endif
