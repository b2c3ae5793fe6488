// SPDX-License-Identifier: GPL-3.0-or-later
/* Which options of Node and Java would give generated code names. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_GENERATED_ADVICE_H
#define SCPROF_REPORT_MODEL_GENERATED_ADVICE_H

#include "report/report.h"

/* A warning for each of them whose call paths go through generated code without a name of its
 * language. */
void generated_advice_add(struct report *r);

#endif
