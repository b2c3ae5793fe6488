// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls by octaves, batch by batch, under addition: batches.c calls these as it doubles and appends
 * the batches themselves; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_TAILS_H
#define SCPROF_PROFILE_MODEL_TAILS_H

#include "profile/profile.h"

/* NULL of NULL, and where there is no memory. */
struct prof_tail *tails_copy(const struct prof_tail *from);

/* Pairs of neighbours become one slot. */
void tails_double(struct prof_tail *t, uint32_t pairs);

/* The first `count` slots of `from` behind the first `at` of *to; at + count <= SCP_BATCHES. The
 * slots of a side that has none (NULL) are not known. Both keep the octaves that both have: where
 * these are too few, or there is no memory, *to becomes NULL. */
void tails_append(struct prof_tail **to, uint32_t at, const struct prof_tail *from, uint32_t count);

#endif
