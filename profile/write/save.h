// SPDX-License-Identifier: GPL-3.0-or-later
/* Put bytes into a file, all or nothing; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_SAVE_H
#define SCPROF_PROFILE_WRITE_SAVE_H

#include "profile/profile.h"

/* Written beside `path`, brought to disk, then renamed over it: whoever reads
 * `path` sees the old file or the whole new one. 0, or -1 with *err and no file
 * left behind. */
int save_bytes(const char *path, const void *bytes, uint64_t count, struct profile_error *err);

#endif
