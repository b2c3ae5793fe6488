// SPDX-License-Identifier: GPL-3.0-or-later
/* Destinations of the profile and the report of a run. */
#ifndef SCPROF_CLI_RUN_RUN_OUTPUT_H
#define SCPROF_CLI_RUN_RUN_OUTPUT_H

#include <limits.h>
#include <sys/types.h>

#include "cli/run/run_options.h"
#include "profile/profile.h"

struct run_output {
	char directory[PATH_MAX - 300]; /* absolute, exists, may be written */
	char path[PATH_MAX];		/* "": the default name in it */
	char report[PATH_MAX]; /* "page.html": the report goes there, the profile beside it; "" */
};

/* Before the run, so that a mistyped -o costs no hours. `wanted`: -o or NULL; in a directory, and
 * where it is named as a report, the profile gets the default name. 0, or -1, having said why. */
int run_output_check(const char *wanted, struct run_output *o);

/* After the start: sets o->path. A default name never replaces a file. */
void run_output_name(struct run_output *o, const char *command, pid_t pid);

/* To the file that -o names, in the format that it is named for, and as text on standard error (of
 * a process that ran: on standard output); without such a file as --format says, on standard error.
 * `saved`: what to read again; NULL: nothing. What fails is said; the profile does not need it. */
void run_output_report(const struct run_output *to, const struct run_options *o, const char *saved,
		       const struct profile *p);

#endif
