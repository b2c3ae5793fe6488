// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums into an entry's record and the blocks behind it; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_SUMS_H
#define SCPROF_PROFILE_WRITE_WRITE_SUMS_H

#include "profile/write/image.h"

/* `r` is the latest record of `img`, with its id, path, function and outcome; it is not
 * to be used afterwards. Where memory runs out img->failed is set. */
void write_sums(struct image *img, struct scp_entry *r, const struct prof_sums *s);

#endif
