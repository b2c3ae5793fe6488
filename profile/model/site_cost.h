// SPDX-License-Identifier: GPL-3.0-or-later
/* Costs by displacement in a model (profile.h has the rest); private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_SITE_COST_H
#define SCPROF_PROFILE_MODEL_SITE_COST_H

#include "profile/profile.h"

/* Entries have become fewer: entry i is now to[i]. Of several, the first one's is kept. */
void site_cost_fold(struct profile *p, const uint32_t *to);

#endif
