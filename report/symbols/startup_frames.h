// SPDX-License-Identifier: GPL-3.0-or-later
/* The outer ends of call paths, which are the same everywhere: private to report/. */
#ifndef SCPROF_REPORT_SYMBOLS_STARTUP_FRAMES_H
#define SCPROF_REPORT_SYMBOLS_STARTUP_FRAMES_H

#include "report/report.h"

/* How many frames of a site's path are worth showing, without what the C library calls before
 * main or a thread's function: at least one, if there is any. */
uint32_t startup_frames_trim(struct report *r, const struct report_site *s);

#endif
