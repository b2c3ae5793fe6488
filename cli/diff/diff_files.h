// SPDX-License-Identifier: GPL-3.0-or-later
/* The profiles that are compared. */
#ifndef SCPROF_CLI_DIFF_DIFF_FILES_H
#define SCPROF_CLI_DIFF_DIFF_FILES_H

#include <stdint.h>

#include "profile/profile.h"

#define DIFF_COMMAND "scprof diff"

/* Each profile on its own: they are different runs. One that cannot be read ends it, as a verdict
 * from fewer runs would be another one; all of them are named. NULL: it was said why. */
struct profile **diff_files_open(const char *const *file, uint32_t files);
void diff_files_free(struct profile **profile, uint32_t files);

#endif
