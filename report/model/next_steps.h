// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reader does next, chosen by what the report found. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_NEXT_STEPS_H
#define SCPROF_REPORT_MODEL_NEXT_STEPS_H

#include "report/report.h"

/* Fill next_step[] and next_steps: at most NEXT_STEPS sentences, the most useful first, each with a
 * command that can be copied. To be called when all else of the report is known. Names are as in
 * the profile, not yet clean. Without memory there are fewer. */
void next_steps_fill(struct report *r);
void next_steps_free(struct report *r);

#endif
