// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of groups that -g and SCPROF_GROUPS take. */
#ifndef SCPROF_CLI_RUN_RUN_GROUPS_H
#define SCPROF_CLI_RUN_RUN_GROUPS_H

#include "cli/run/run_options.h"

/* Sets o->groups, built_in (the library has wrappers for them), ready_made (patterns of -s) and
 * only_ready_made. 0, or -1 with *err. */
int run_groups_parse(const char *list, struct run_options *o, struct profile_error *err);

#endif
