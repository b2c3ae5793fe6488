// SPDX-License-Identifier: GPL-3.0-or-later
/* The profiles that a command was given, read as one. */
#ifndef SCPROF_CLI_USAGE_INPUTS_H
#define SCPROF_CLI_USAGE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"
#include "cli/messages/progress.h"

/* Exit status of a command that left files out. */
#define INPUTS_LEFT_OUT 1

/* A directory stands for the *.scp files in it, by name; not for those in directories in it, nor
 * for names that begin with a dot. With a bar of progress, which goes on behind it. Of several
 * files, those that cannot be read are named and left out, and *status becomes INPUTS_LEFT_OUT;
 * else it stays. NULL: it was said why there is nothing to go on with, in `one_line` where that is
 * wished. `command`: "scprof merge". */
struct profile *inputs_open(const char *command, const char *const *paths, size_t count,
			    struct progress *progress, bool one_line, int *status);

/* Would writing to `output` (NULL: standard output) replace one of them? Then, or where they cannot
 * be listed, it was said. */
bool inputs_refuse(const char *command, const char *output, const char *const *paths, size_t count);

#endif
