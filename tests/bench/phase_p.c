// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints of each entry of a profile whose calls' phases within the tick were sampled:
 * FUNCTION SAMPLES P UNEVENNESS, of the test for uniform phases. Entries with too few
 * samples for a test are left out.
 *
 * Usage: phase_p PROFILE
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "stats/mean/phase_test.h"
#include "profile/profile.h"

static void print_entry(const struct profile *p, const struct prof_entry *e)
{
	const uint64_t *count = e->sums.phase ? e->sums.phase->count : NULL;
	uint64_t samples = 0;

	if (!count || isnan(phase_test_p(count, SCP_PHASE_BINS)))
		return;
	for (unsigned i = 0; i < SCP_PHASE_BINS; i++)
		samples += count[i];
	printf("%s %" PRIu64 " %.3g %.3f\n", p->function[e->function].name, samples,
	       phase_test_p(count, SCP_PHASE_BINS), phase_test_unevenness(count, SCP_PHASE_BINS));
}

int main(int argc, char **argv)
{
	struct profile_error error;
	struct profile *p;

	if (argc != 2) {
		fprintf(stderr, "usage: phase_p PROFILE\n");
		return 2;
	}
	p = profile_open((const char *const *)argv + 1, 1, &error);
	if (!p) {
		fprintf(stderr, "phase_p: %s\n", error.text);
		return 2;
	}
	for (uint32_t i = 0; i < p->entries; i++)
		print_entry(p, &p->entry[i]);
	profile_free(p);
	return 0;
}
