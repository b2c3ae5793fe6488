// SPDX-License-Identifier: GPL-3.0-or-later
/* The flame graph as one picture without scripts, for documents and chats: work, and below it what
 * waits, each as wide as the picture. A box shows its total and share where the pointer rests. */
#ifndef SCPROF_REPORT_RENDER_STACKS_SVG_H
#define SCPROF_REPORT_RENDER_STACKS_SVG_H

#include <stdio.h>

#include "report/report.h"

/* Boxes too narrow to see are left out, so that the picture stays small. -1: out of memory; errors
 * of the stream stay in it. */
int svg_print(struct report *r, const struct report_options *o, FILE *out);

#endif
