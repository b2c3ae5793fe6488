// SPDX-License-Identifier: GPL-3.0-or-later
/* What the processes of a model used while they were recorded. Private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_USAGE_H
#define SCPROF_PROFILE_MODEL_USAGE_H

#include "profile/profile.h"

/* Add a file's. What contradicts itself, or is too much to add, is not known. */
void usage_add(struct profile *p, const struct scp_header *h);
/* Into the header of a merged file. */
void usage_store(const struct profile *p, struct scp_header *h);

#endif
