// SPDX-License-Identifier: GPL-3.0-or-later
/* What happened between two readings of an entry: all sums add up, so they subtract. Pure. */
#ifndef SCPROF_PROFILE_LIVE_DIFFERENCES_H
#define SCPROF_PROFILE_LIVE_DIFFERENCES_H

#include "profile/profile.h"

/* The sums of one entry at one moment; what a window needs of them. */
struct prof_reading {
	uint64_t calls, units, bytes, inner_calls;
	prof_u128 units_sq, bytes_sq;
	uint64_t min_units, max_units;
	uint32_t batch_count;
	uint64_t batch_calls;
	bool has_bytes;
};

/* *out becomes the calls after `before` and up to `now`, exactly. Two things cannot be known of
 * them: min and max are those of all calls, which hold theirs. -1, and nothing happened in
 * *out: `before` is not from earlier in the same entry's life (a damaged file). */
int differences_reading(const struct prof_reading *now, const struct prof_reading *before,
			struct prof_reading *out);

/* Of an entry's batches, oldest first, `count` of `calls` calls each, those whose calls all
 * came after the first `before` calls: the number of the first such. */
uint32_t differences_batches(uint64_t calls, uint32_t count, uint64_t before);

#endif
