// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement measured, from a checked file into the model; private to profile/. */
#ifndef SCPROF_PROFILE_READ_LOAD_DISPLACEMENT_H
#define SCPROF_PROFILE_READ_LOAD_DISPLACEMENT_H

#include "profile/read/raw.h"

/* The cost of the call site of `entry`, if the file has one: of the model's entry `index`.
 * -1: out of memory. */
int load_displacement_site(struct profile *p, const struct raw_file *raw,
			   const struct raw_ref *entry, uint32_t index);

/* All accounts of the CPUs' time in a file, but those that the model has: a run is measured once.
 * -1: out of memory. */
int load_displacement_accounts(struct profile *p, const struct raw_file *raw);

#endif
