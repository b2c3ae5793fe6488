// SPDX-License-Identifier: GPL-3.0-or-later
/* Switched calls as optional chunks; private to profile/. */
#ifndef SCPROF_PROFILE_WRITE_WRITE_STATES_H
#define SCPROF_PROFILE_WRITE_WRITE_STATES_H

#include "profile/write/image.h"

/* The states of a table and of its entries: `entry` are their indices, in the order of their ids,
 * which are 1 to `entries`. No chunk may be open. */
void write_states(struct image *img, const struct profile *p, uint32_t table, const uint32_t *entry,
		  uint32_t entries);

#endif
