// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls as they lie in a merged file; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_SLOWEST_H
#define SCPROF_PROFILE_WRITE_WRITE_SLOWEST_H

#include "profile/write/image.h"

/* Optional chunks, behind those of the tables. entry_id: of each entry in its table. */
void write_slowest(struct image *img, const struct profile *p, const uint32_t *entry_id);

#endif
