// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions of a language whose code was generated, as frames like those of an interpreted one: so
 * there is one rule for the call site, and one kind of row by function (path_site.h). */
#ifndef SCPROF_REPORT_SYMBOLS_GENERATED_FRAMES_H
#define SCPROF_REPORT_SYMBOLS_GENERATED_FRAMES_H

#include "profile/profile.h"

/* Frames of no module that have a name of such a language become frames of PROF_SOURCE, with a line
 * for each address. Before a report or a comparison is built, not before the profile is written,
 * and no path can be added afterwards. Out of memory the rest stay as they are. */
void generated_frames_name(struct profile *p);

#endif
