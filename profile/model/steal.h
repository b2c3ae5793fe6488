// SPDX-License-Identifier: GPL-3.0-or-later
/* Time that the host stole from the threads of a file, and what the machine allows of it; private
 * to profile/. */
#ifndef SCPROF_PROFILE_MODEL_STEAL_H
#define SCPROF_PROFILE_MODEL_STEAL_H

#include "profile/profile.h"

/* To the tables of one file, those from `first` on, before anything is made of them: what was
 * stolen is at most what the kernel counted of the whole machine's (header, struct scp_steal), and
 * its share of the threads' time at most twice the machine's. Where it was not asked, or for less
 * than half of the time, nothing changes. */
void steal_limit(struct profile *p, uint32_t first, const struct scp_header *h);

#endif
