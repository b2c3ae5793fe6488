// SPDX-License-Identifier: GPL-3.0-or-later
/* How a process ended, in words for people: what its library wrote, and what was seen from outside.
 */
#ifndef SCPROF_REPORT_MODEL_PROCESS_END_H
#define SCPROF_REPORT_MODEL_PROCESS_END_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

/* "killed by signal 9 (SIGKILL)", "left by _exit, status 0", "still running or killed". */
void process_end_describe(const struct prof_process *p, char *out, size_t room);

/* The one whose end is the command's, as the run saw it; else the first. NULL: there is none. */
const struct prof_process *process_end_of_command(const struct report *r);

/* The same in a column of a table: report_names_end, or "SIGKILL", "exit 3". */
void process_end_abbreviate(const struct prof_process *p, char *out, size_t room);

/* The instant of its end was noted. */
bool process_end_is_known(const struct prof_process *p);

/* Nobody saw it end: it may still run. */
bool process_end_is_open(const struct prof_process *p);

/* Is a process that did not say how it ended there now, as far as can be told? */
bool process_end_runs_now(const struct prof_process *p);

#endif
