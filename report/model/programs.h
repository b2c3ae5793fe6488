// SPDX-License-Identifier: GPL-3.0-or-later
/* The programs of a report: processes of one executable that was started under one name are one
 * program, so a server's many are, too. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_PROGRAMS_H
#define SCPROF_REPORT_MODEL_PROGRAMS_H

#include "report/report.h"

#define PROGRAMS_SHOWN	     6	  /* that text shows the rows of, at most */
#define PROGRAMS_SMALL_SHARE 0.05 /* below, of the CPU time: not shown */

/* Fill program, program_of, asked and apart, after runs_find. Where the process that began a run
 * replaced itself (exec), what it became is first: a script that starts a program is not what was
 * asked for; what ran only before that comes last, and is not shown. The others are in the order of
 * their CPU time, or where that is not known of all, of their time that is no waiting. Programs of
 * several runs are all shown, up to PROGRAMS_SHOWN; in one run, small ones are not. -1: out of
 * memory. */
int programs_find(struct report *r, bool together);

/* How many are shown. They are the first ones. */
uint32_t programs_shown(const struct report *r);

/* The report of one program: its totals, and those of its rows that are kept (sites, or gaps where
 * a row is a gap), with shares of its own. All else is the report's; programs_view_end takes back
 * what the view's warnings became, and frees its rows. -1: out of memory. */
int programs_view(struct report *view, const struct report *r, uint32_t program);
void programs_view_end(struct report *r, struct report *view);

#endif
