// SPDX-License-Identifier: GPL-3.0-or-later
/* The profiles that a command was given, read as one. */
#ifndef SCPROF_CLI_USAGE_INPUTS_H
#define SCPROF_CLI_USAGE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"
#include "cli/messages/progress.h"

/* Exit statuses. */
#define INPUTS_UNREAD	1 /* of some or all */
#define INPUTS_REPLACED 2 /* by the output: wrong usage */

/* A directory stands for the *.scp files in it, by name; not for those in directories in it, nor
 * for names that begin with a dot. With a bar of progress, which goes on behind it. Of several
 * files, those that cannot be read are named and left out, and *status becomes INPUTS_UNREAD;
 * else it stays. NULL: it was said why there is nothing to go on with, in `one_line` where that is
 * wished. `command`: "scprof merge". */
struct profile *inputs_open(const char *command, const char *const *paths, size_t count,
			    struct progress *progress, bool one_line, int *status);

/* 0, or where writing to `output` (NULL: standard output) would replace one of them, or they cannot
 * be listed, an exit status, and it was said. */
int inputs_refuse(const char *command, const char *output, const char *const *paths, size_t count);

#endif
