// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints of each call site of a profile: FUNCTION FRAMES CALLS QUIET, where QUIET is the
 * median of the means of its batches in nanoseconds, as measured. What the host or another
 * task took falls into few of the batches: this is what a call takes by itself, to hold
 * against a calibration that was taken likewise. `nan` where there are no batches.
 *
 * Usage: quiet_mean PROFILE
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/profile.h"

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double quiet_units(const struct prof_batches *b)
{
	uint64_t sum[SCP_BATCHES];

	if (!b->count)
		return NAN;
	for (uint32_t i = 0; i < b->count; i++)
		sum[i] = b->sum[i];
	qsort(sum, b->count, sizeof sum[0], by_size);
	return (double)(sum[(b->count - 1) / 2] + sum[b->count / 2]) / 2 / (double)b->calls;
}

int main(int argc, char **argv)
{
	struct profile_error error;
	struct profile *p;

	if (argc != 2) {
		fprintf(stderr, "usage: quiet_mean PROFILE\n");
		return 2;
	}
	p = profile_open((const char *const *)argv + 1, 1, &error);
	if (!p) {
		fprintf(stderr, "quiet_mean: %s\n", error.text);
		return 2;
	}
	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[i];

		printf("%s %u %llu %.4f\n", p->function[e->function].name, p->path[e->path].frames,
		       (unsigned long long)e->sums.calls,
		       quiet_units(&e->sums.batches) * p->clock.ns_per_unit);
	}
	profile_free(p);
	return 0;
}
