// SPDX-License-Identifier: GPL-3.0-or-later
/* --slowest, --slower-than and --slowest-of of `scprof run`, as texts for the environment:
 * libscprof.so reads them there (preload/process/slowest_settings.h). */
#ifndef SCPROF_CLI_RUN_RUN_SLOWEST_H
#define SCPROF_CLI_RUN_RUN_SLOWEST_H

struct run_slowest {
	const char *count, *least, *patterns; /* NULL: not on the command line */
};

/* Checks them, and the variables of those that are NULL, before the command starts. 0, or -1,
 * having said why. */
int run_slowest_settle(const struct run_slowest *s);

#endif
