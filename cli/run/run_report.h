// SPDX-License-Identifier: GPL-3.0-or-later
/* The report at the end of a run. */
#ifndef SCPROF_CLI_RUN_RUN_REPORT_H
#define SCPROF_CLI_RUN_RUN_REPORT_H

#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "profile/profile.h"

/* To the file that -o names, in the format that it is named for, and as text on standard error (of
 * a process that ran: on standard output); without such a file as --format says, on standard error.
 * `saved`: what to read again; NULL: nothing. What fails is said; the profile does not need it. */
void run_report_print(const struct run_options *o, const struct run_output *to, const char *saved,
		      const struct profile *p);

#endif
