// SPDX-License-Identifier: GPL-3.0-or-later
/* What preload/table/tail.c does at the end of a batch, call by call. */
#include <string.h>

#include "tests/bench/coverage/tail_record.h"

/* The library begins to count by octaves after so many calls. */
#define TAIL_BEGINS 512
#define OCTAVE	    8

/* As the library chooses it: the octave below the median's. */
static uint32_t first_octave(const uint64_t *hist, uint64_t calls)
{
	uint64_t seen = 0;
	uint32_t i = 0;

	while (i + 1 < STATS_HIST_BUCKETS && (seen += hist[i]) < (calls + 1) / 2)
		i++;
	return i / OCTAVE ? i / OCTAVE - 1 : 0;
}

void tail_record_begin(struct tail_record *r, uint64_t n)
{
	memset(r->hist, 0, sizeof r->hist);
	memset(r->slot, 0, sizeof r->slot);
	r->tail = (struct stats_tail){.calls = recorder_batch_calls(n)};
}

static void add_to_slot(struct tail_record *r, uint64_t call, uint32_t bucket)
{
	struct stats_tail *t = &r->tail;
	uint64_t slot = call / t->calls;
	uint32_t octave = bucket / OCTAVE;

	if (call < TAIL_BEGINS)
		return;
	if (call == TAIL_BEGINS) {
		t->first = first_octave(r->hist, call);
		t->octaves = STATS_TAIL_OCTAVES;
		t->slot = (const uint32_t(*)[STATS_TAIL_OCTAVES])r->slot;
	}
	octave = octave < t->first ? 0 : octave - t->first;
	if (octave >= STATS_TAIL_OCTAVES)
		octave = STATS_TAIL_OCTAVES - 1;
	if (slot < RECORDER_BATCHES)
		r->slot[slot][octave]++;
}

void tail_record_add(struct tail_record *r, uint64_t call, uint64_t ticks)
{
	uint32_t bucket = histogram_bucket(ticks);

	add_to_slot(r, call, bucket);
	r->hist[bucket]++;
}

void tail_record_end(struct tail_record *r, const struct recorder *recorder)
{
	r->tail.count = r->tail.slot ? recorder->sample.batches.count : 0;
}
