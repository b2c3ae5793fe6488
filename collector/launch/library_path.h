// SPDX-License-Identifier: GPL-3.0-or-later
/* Where libscprof.so lies. */
#ifndef SCPROF_COLLECTOR_LAUNCH_LIBRARY_PATH_H
#define SCPROF_COLLECTOR_LAUNCH_LIBRARY_PATH_H

#include <stddef.h>

#include "profile/profile.h"

/* $SCPROF_LIB if set; else beside this executable, in ../lib, ../lib/scprof,
 * ../lib/MULTIARCH. Absolute. 0, or -1 and *err with what was tried. */
int library_path_find(char *path, size_t size, struct profile_error *err);

#endif
