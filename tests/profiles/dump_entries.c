// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints a profile's entries with their phases and lines, for the command tests.
 * Usage: dump_entries PROFILE... Lines, fields separated by blanks:
 *   tick UNITS SLOW_UNITS (0: no slow clock)
 *   entry INDEX FUNCTION OUTCOME CALLS UNITS FIRST_UNITS MAX_UNITS FIRST_AT LAST_AT MAX_AT
 *   phase INDEX COUNT... (32)
 *   batch INDEX SLOT CALLS UNITS, and where the entry has a line:
 *   line INDEX SLOT BYTES BYTES_SQ BYTES_UNITS
 */
#include <inttypes.h>
#include <stdio.h>

#include "profile/profile.h"

static void print_wide(prof_u128 v)
{
	char digits[40];
	unsigned n = sizeof digits;

	digits[--n] = 0;
	do
		digits[--n] = (char)('0' + (unsigned)(v % 10));
	while (v /= 10);
	printf(" %s", digits + n);
}

static void print_entry(const struct profile *p, uint32_t i)
{
	const struct prof_entry *e = &p->entry[i];
	const struct prof_sums *s = &e->sums;

	printf("entry %u %s %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64 "\n",
	       i, p->function[e->function].name, e->outcome, s->calls, s->units, s->first_units,
	       s->max_units, s->first_at, s->last_at, s->max_at);
	if (s->phase) {
		printf("phase %u", i);
		for (uint32_t k = 0; k < SCP_PHASE_BINS; k++)
			printf(" %" PRIu64, s->phase->count[k]);
		printf("\n");
	}
	for (uint32_t k = 0; k < s->batches.count; k++)
		printf("batch %u %u %" PRIu64 " %" PRIu64 "\n", i, k, s->batches.calls,
		       s->batches.sum[k]);
	for (uint32_t k = 0; s->line && k < s->batches.count; k++) {
		printf("line %u %u %" PRIu64, i, k, s->line->bytes[k]);
		print_wide(s->line->bytes_sq[k]);
		print_wide(s->line->bytes_units[k]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	struct profile_error error;
	struct profile *p;

	if (argc < 2) {
		fprintf(stderr, "usage: dump_entries PROFILE...\n");
		return 2;
	}
	p = profile_open((const char *const *)argv + 1, (size_t)argc - 1, &error);
	if (!p) {
		fprintf(stderr, "%s\n", error.text);
		return 2;
	}
	printf("tick %" PRIu64 " %" PRIu64 "\n", p->clock.resolution_units,
	       p->slow.resolution_units);
	for (uint32_t i = 0; i < p->entries; i++)
		print_entry(p, i);
	profile_free(p);
	return 0;
}
