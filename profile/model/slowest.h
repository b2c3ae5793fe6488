// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls of several tables and files as one list; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_SLOWEST_H
#define SCPROF_PROFILE_MODEL_SLOWEST_H

#include "profile/profile.h"

/* A file that was asked for `asked` has joined the model, its calls standing from `first`
 * on: keep the longest of all. ns_per_unit: its clock's. */
void slowest_join(struct profile *p, const struct scp_slowest_asked *asked, uint32_t first,
		  double ns_per_unit);

#endif
