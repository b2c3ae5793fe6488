// SPDX-License-Identifier: GPL-3.0-or-later
/* What is known of a site batch by batch, under addition; private to profile/.
 *
 * The batches of the clock, those of the slow clock of a dual run, the sums of
 * the line of time on size, those of switched calls, and the calls by octaves are parallel
 * sequences: slot i of each is about the same calls. They are joined, doubled and cut together, so
 * that they stay so.
 */
#ifndef SCPROF_PROFILE_MODEL_BATCHES_H
#define SCPROF_PROFILE_MODEL_BATCHES_H

#include "profile/profile.h"

/* The batches of `src` after those of `dst`, at most SCP_BATCHES of the larger size.
 * To be called before the other sums are added, and after dst->slow has been settled.
 *
 * A site without a line whose calls all moved the same number of bytes has one all the
 * same: it follows from the batches. Where one side's sizes vary and it has none (few
 * calls, or no room for the record) that side's batches give way if they are at most
 * a quarter of the other's; else the result has no line. Cannot fail: a line that there
 * is no memory for is dropped. So it is with states, where no call of a site without them was
 * switched. Those are returned, for dst->states (NULL: none); they are the caller's. */
struct prof_state_batches *batches_append(struct prof_sums *dst, const struct prof_sums *src);

/* Did every call move the same number of bytes? *size: which. */
bool batches_one_size(const struct prof_sums *s, uint64_t *size);

#endif
