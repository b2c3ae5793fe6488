// SPDX-License-Identifier: GPL-3.0-or-later
/* --slowest, --slower-than and --slowest-of of `scprof run`, as texts for the environment:
 * libscprof.so reads them there (preload/start/slowest_settings.h). */
#ifndef SCPROF_CLI_RUN_RUN_SLOWEST_H
#define SCPROF_CLI_RUN_RUN_SLOWEST_H

struct run_slowest {
	const char *count, *least, *patterns; /* NULL: not on the command line */
};

/* Check them, and what is in the environment for those that are NULL. 0, or -1, having
 * said why: what the library could not read is found before the command starts. */
int run_slowest_settle(const struct run_slowest *s);

#endif
