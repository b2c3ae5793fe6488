// SPDX-License-Identifier: GPL-3.0-or-later
/* The lines above a live picture's rows: what is watched, the totals, and what readers must know
 * before they trust the numbers (new paths not read yet, the end of the program). */
#ifndef SCPROF_REPORT_LIVE_SCREEN_HEADER_H
#define SCPROF_REPORT_LIVE_SCREEN_HEADER_H

#include "report/live/view.h"

/* Hand each line, written for `width` columns, to `put`. A line may contain any bytes and be
 * longer. */
void screen_header_write(const struct view_source *from, const struct view_state *s, size_t width,
			 bool utf8,
			 void (*put)(void *context, enum view_style style, const char *text),
			 void *context);

#endif
