// SPDX-License-Identifier: GPL-3.0-or-later
/* Unbatched calls, under addition; private to profile/.
 *
 * Joining batches leaves calls out: threads too short for a batch of the size that the longest one
 * needs, and ends. Their scatter is part of the error of a mean (stats/mean/), so they are counted
 * stretch by stretch: a stretch has the calls of one thread, or of one dropped batch.
 */
#ifndef SCPROF_PROFILE_MODEL_UNBATCHED_H
#define SCPROF_PROFILE_MODEL_UNBATCHED_H

#include "profile/profile.h"

/* Add to *sum the stretches of `s` if of its batches only the first are kept that make whole ones
 * of `calls` calls; 0: none are. `slow_units`: sum of its slow clock. */
void unbatched_add(struct prof_apart *sum, const struct prof_sums *s, uint64_t slow_units,
		   uint64_t calls);

#endif
