// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of groups that -g and SCPROF_GROUPS take. */
#ifndef SCPROF_CLI_RUN_RUN_GROUPS_H
#define SCPROF_CLI_RUN_RUN_GROUPS_H

#include "cli/run/run_options.h"

/* Sets o->groups, built_in, ready_made and only_ready_made. `from`: what is to blame for errors. 0,
 * or -1 having said why. */
int run_groups_parse(const char *from, const char *list, struct run_options *o);

#endif
