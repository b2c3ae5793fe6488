// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the profile of a run goes. */
#ifndef SCPROF_CLI_RUN_RUN_OUTPUT_H
#define SCPROF_CLI_RUN_RUN_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

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

#endif
