// SPDX-License-Identifier: GPL-3.0-or-later
/* A site's cost by displacement, between record and model; private to profile/. */
#ifndef SCPROF_PROFILE_SITE_COST_H
#define SCPROF_PROFILE_SITE_COST_H

#include "image.h"
#include "raw.h"

/* Of the entry at `entry`; state 0 where it has none. */
struct prof_site_cost site_cost_load(const struct raw_file *raw, const struct raw_ref *entry);

/* Nothing where state is 0. `id`: the entry's. */
void site_cost_write(struct image *img, uint32_t id, const struct prof_site_cost *cost);

#endif
