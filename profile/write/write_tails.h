// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls by octaves, batch by batch, as optional chunks; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_TAILS_H
#define SCPROF_PROFILE_WRITE_WRITE_TAILS_H

#include "profile/write/image.h"

/* One chunk for each entry that has them. entry_id: by index in the model, the id in its table. No
 * chunk is open before or after. */
void write_tails(struct image *img, const struct profile *p, const uint32_t *entry_id);

#endif
