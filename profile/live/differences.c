// SPDX-License-Identifier: GPL-3.0-or-later
/* Differences of sums, refused rather than wrapped around. */
#include "profile/live/differences.h"

int differences_reading(const struct prof_reading *now, const struct prof_reading *before,
			struct prof_reading *out)
{
	*out = (struct prof_reading){.min_units = now->min_units,
				     .max_units = now->max_units,
				     .has_bytes = now->has_bytes};
	if (now->calls < before->calls || now->units < before->units ||
	    now->units_sq < before->units_sq || now->bytes < before->bytes ||
	    now->bytes_sq < before->bytes_sq || now->inner_calls < before->inner_calls)
		return -1;
	/* time without a call, or squares without time, there is not */
	if (now->calls == before->calls &&
	    (now->units != before->units || now->units_sq != before->units_sq))
		return -1;
	out->calls = now->calls - before->calls;
	out->units = now->units - before->units;
	out->units_sq = now->units_sq - before->units_sq;
	out->bytes = now->bytes - before->bytes;
	out->bytes_sq = now->bytes_sq - before->bytes_sq;
	out->inner_calls = now->inner_calls - before->inner_calls;
	return 0;
}

uint32_t differences_batches(uint64_t calls, uint32_t count, uint64_t before)
{
	uint64_t first = calls ? before / calls + (before % calls != 0) : count;

	return first < count ? (uint32_t)first : count;
}
