// SPDX-License-Identifier: GPL-3.0-or-later
/* What was left out on purpose, in a model; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_FILTERS_H
#define SCPROF_PROFILE_MODEL_FILTERS_H

#include "profile/profile.h"

/* Add those of one more file, whose header is sound. To be called while the model does not have its
 * flags, nor its clock, yet. */
void filters_add(struct profile *p, const struct scp_header *h);

/* For a merged file. */
void filters_store(const struct profile *p, struct scp_header *h);

#endif
