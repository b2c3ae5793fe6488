// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a call path: "outermost;...;innermost;function N", as FlameGraph,
 * inferno and speedscope read it. N is what options.weight says; a path with 0 has
 * no line. A ';' in a name is written as ':', since it would end the frame. */
#ifndef SCPROF_REPORT_RENDER_STACKS_FOLDED_H
#define SCPROF_REPORT_RENDER_STACKS_FOLDED_H

#include "report/report.h"

int folded_print(struct report *r, const struct report_options *o, FILE *out);

#endif
