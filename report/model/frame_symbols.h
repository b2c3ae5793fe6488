// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of frames, looked up when a renderer asks for them. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_FRAME_SYMBOLS_H
#define SCPROF_REPORT_MODEL_FRAME_SYMBOLS_H

#include "report/report.h"

/* Names of one frame, inlined functions first: `*count` of them, at least 1. They belong to the
 * report. A module that changed since the run, or is missing, adds a warning to the report. */
const struct symbol *frame_symbols_find(struct report *r, const struct prof_frame *frame,
					size_t *count);

/* A number for what is drawn of a frame whose first name is `s`: heuristic frames are marked, so
 * that they have others. SYMBOL_UNNUMBERED: out of memory. */
static inline uint32_t frame_symbols_number(const struct symbol *s, bool heuristic)
{
	return s->number < SYMBOL_UNNUMBERED / 2 ? 2 * s->number + heuristic : SYMBOL_UNNUMBERED;
}

/* How many frames of a site's path are worth showing, without what the C library calls before
 * main or a thread's function: at least one, if there is any. */
uint32_t frame_symbols_trim_startup(struct report *r, const struct report_site *s);

/* Does the function only start a program or a thread? */
bool frame_symbols_is_starter(const struct symbol *s);

#endif
