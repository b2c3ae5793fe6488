// SPDX-License-Identifier: GPL-3.0-or-later
/* Commands as a shell reads them, of the program that was asked for, with the groups that were on:
 * what a reader copies from a report. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_NEXT_COMMAND_H
#define SCPROF_REPORT_MODEL_NEXT_COMMAND_H

#include <stdio.h>

#include "report/report.h"

/* "scprof run -g socket,wait,io --until 5% -- COMMAND", or of a process that ran "scprof attach ...
 * PID". `more`: SCP_GROUP_* to be recorded, too;
 * `options`: with a blank before each, or "". -g is left out where it would say what is the
 * default. COMMAND itself where the report is of several, or the line is too long or cannot be
 * copied. */
void next_command_run(FILE *to, const struct report *r, uint32_t more, const char *options);

/* "scprof report OPTIONS PROFILE". */
void next_command_report(FILE *to, const struct report *r, const char *options);

/* The command that was profiled. */
void next_command_program(FILE *to, const struct report *r);

/* What samples it: perf. Of a Python program what names its functions: since 3.12 perf with the
 * interpreter's own help, before that cProfile. */
void next_command_profile(FILE *to, const struct report *r);

/* One word, in quotes where a shell needs them. */
void next_command_word(FILE *to, const char *word);

#endif
