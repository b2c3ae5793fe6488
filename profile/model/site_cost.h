// SPDX-License-Identifier: GPL-3.0-or-later
/* A site's cost by displacement, between record and model; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_SITE_COST_H
#define SCPROF_PROFILE_MODEL_SITE_COST_H

#include "profile/write/image.h"
#include "profile/read/raw.h"

/* That of the record of entry `index`, if there is one. -1: out of memory. */
int site_cost_load(struct profile *p, const struct raw_file *raw, const struct raw_ref *entry,
		   uint32_t index);

/* That of entry `index`, whose record has the number `id`, if it has one. */
void site_cost_write(struct image *img, uint32_t id, const struct profile *p, uint32_t index);

/* Entries have become fewer: entry i is now to[i]. Of several, the first one's is kept. */
void site_cost_fold(struct profile *p, const uint32_t *to);

#endif
