// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints a profile's entries with their phases and lines, for the command tests.
 * Usage: dump_entries PROFILE... Lines, fields separated by blanks:
 *   tick UNITS SLOW_UNITS (0: no slow clock)
 *   costs KNOWN... (8, by enum scp_way, and inside an interval: 1 where it was measured)
 *   entry INDEX FUNCTION OUTCOME CALLS UNITS FIRST_UNITS MAX_UNITS FIRST_AT LAST_AT MAX_AT
 *   ways INDEX CALLS... (8, by enum scp_way)
 *   phase INDEX COUNT... (32)
 *   states INDEX DETECTOR, and where there are any:
 *   switched INDEX FROM_CALLS CALLS UNITS READINGS SWITCHED_WEIGHTED
 *   off_cpu INDEX KNOWN WEIGHTED RUNNABLE_NS ASLEEP_NS RAN_NS WAITS
 *   state_batch INDEX SLOT CALLS UNITS KNOWN WEIGHTED RUNNABLE_NS ASLEEP_NS
 *   batch INDEX SLOT CALLS UNITS, and where the entry has a line:
 *   line INDEX SLOT BYTES BYTES_SQ BYTES_UNITS
 */
#include <inttypes.h>
#include <stdio.h>

#include "profile/model/model.h"

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

static void print_numbers(const char *what, uint32_t index, const uint64_t *value, unsigned count)
{
	printf("%s %u", what, index);
	for (unsigned i = 0; i < count; i++)
		printf(" %" PRIu64, value[i]);
	printf("\n");
}

static void print_states(uint32_t index, const struct prof_sums *s)
{
	const struct prof_states *t = s->states;

	printf("states %u %u\n", index, s->detector);
	if (!t)
		return;
	print_numbers(
		"switched", index,
		(uint64_t[]){t->from_calls, t->calls, t->units, t->readings, t->switched_weighted},
		5);
	print_numbers("off_cpu", index,
		      (uint64_t[]){t->off_cpu.known, t->off_cpu.weighted, t->off_cpu.runnable_ns,
				   t->off_cpu.asleep_ns, t->off_cpu.ran_ns, t->off_cpu.waits},
		      6);
	for (uint64_t k = 0; t->batches && k < s->batches.count; k++)
		print_numbers("state_batch", index,
			      (uint64_t[]){k, t->batches->calls[k], t->batches->units[k],
					   t->batches->known[k], t->batches->weighted[k],
					   t->batches->runnable_ns[k], t->batches->asleep_ns[k]},
			      7);
}

static void print_entry(const struct profile *p, uint32_t i)
{
	const struct prof_entry *e = &p->entry[i];
	const struct prof_sums *s = &e->sums;

	printf("entry %u %s %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64 "\n",
	       i, p->function[e->function].name, e->outcome, s->calls, s->units, s->first_units,
	       s->max_units, s->first_at, s->last_at, s->max_at);
	print_numbers("ways", i, s->way_calls, SCP_WAYS);
	if (s->phase) {
		printf("phase %u", i);
		for (uint32_t k = 0; k < SCP_PHASE_BINS; k++)
			printf(" %" PRIu64, s->phase->count[k]);
		printf("\n");
	}
	print_states(i, s);
	for (uint32_t k = 0; k < s->batches.count; k++)
		printf("batch %u %u %" PRIu64 " %" PRIu64 "\n", i, k, s->batches.calls,
		       s->batches.sum[k]);
	for (uint32_t k = 0; s->line && k < s->batches.count; k++) {
		printf("line %u %u %" PRIu64, i, k, s->line->bytes[k]);
		print_wide(s->line->bytes_sq[k]);
		print_wide(s->line->bytes_units[k]);
		printf("\n");
	}
	for (uint32_t k = 0; s->tail && k < s->batches.count; k++) {
		printf("tail %u %u %u", i, k, s->tail->first);
		for (uint32_t o = 0; o < s->tail->octaves; o++)
			printf(" %u", s->tail->calls[k][o]);
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
	const struct overhead_quantity *cost = p->index->overhead.of;
	printf("costs");
	for (unsigned i = 0; i < SCP_WAYS; i++)
		printf(" %d", cost[OVERHEAD_WAY + i].weight > 0);
	printf(" %d\n", cost[OVERHEAD_INNER].weight > 0);
	for (uint32_t i = 0; i < p->entries; i++)
		print_entry(p, i);
	profile_free(p);
	return 0;
}
