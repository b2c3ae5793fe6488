// SPDX-License-Identifier: Apache-2.0
/* The histogram has counted the calls already: what a batch adds is a difference of its octaves. */
#include "preload/table/table.h"
#include "preload/system/stack.h"
#include "preload/table/recording.h"

#define OCTAVE 8u /* buckets */
#define ALL    (SCP_HIST_BLOCKS * SCP_HIST_BUCKETS / OCTAVE)

static uint64_t calls_in(const struct scp_rt *rt, uint32_t octave)
{
	uint32_t bucket = octave * OCTAVE;
	const struct scp_hist *h = rt->more->hist[bucket / SCP_HIST_BUCKETS];
	uint64_t calls = 0;
	for (uint32_t i = 0; h && i < OCTAVE; i++)
		calls += h->count[bucket % SCP_HIST_BUCKETS + i];
	return calls;
}

static void calls_by_octaves(const struct scp_rt *rt, uint64_t *calls)
{
	for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++)
		calls[k] = 0;
	for (uint32_t octave = 0; octave < ALL; octave++) {
		uint32_t k = octave < rt->more->tail_first ? 0 : octave - rt->more->tail_first;
		calls[k < SCP_TAIL_OCTAVES ? k : SCP_TAIL_OCTAVES - 1] += calls_in(rt, octave);
	}
}

COLD void tail_close(struct scp_rt *rt, uint32_t slot)
{
	uint64_t now[SCP_TAIL_OCTAVES];
	struct scp_tail *tail = rt->more->tail;
	calls_by_octaves(rt, now);
	for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++) {
		uint64_t calls = now[k] - tail->base[k];
		tail->calls[slot][k] = calls < UINT32_MAX ? (uint32_t)calls : UINT32_MAX;
		tail->base[k] = now[k];
	}
}

/* The octave below the median's: percentiles from the median on have a bound on either side. */
static uint32_t first_octave(const struct scp_rt *rt)
{
	uint64_t all = 0, seen = 0;
	uint32_t median = 0;
	for (uint32_t octave = 0; octave < ALL; octave++)
		all += calls_in(rt, octave);
	while (median < ALL - 1 && (seen += calls_in(rt, median)) < all - all / 2)
		median++;
	return median ? median - 1 : 0;
}

static COLD void begin(struct scp_thread *t, struct scp_rt *rt)
{
	struct file_chunk chunk = {0};
	struct scp_tail *tail =
		record_begin_of(t, rt, &chunk, SCP_OPTIONAL_TAIL, SCP_REC_TAIL, sizeof *tail);
	rt->more->tail_lost = !tail;
	if (!tail)
		return;
	rt->more->tail_first = (uint16_t)first_octave(rt);
	tail->first = rt->more->tail_first;
	tail->octaves = SCP_TAIL_OCTAVES;
	calls_by_octaves(rt, tail->base);
	rt->more->tail = tail; /* a handler may leave: it is not made again */
	compiler_barrier();
	file_publish_record(&chunk, sizeof *tail);
}

static void merge_pairs(struct scp_tail *tail)
{
	for (uint32_t i = 0; i < SCP_BATCHES / 2; i++)
		for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++) {
			uint64_t calls =
				(uint64_t)tail->calls[2 * i][k] + tail->calls[2 * i + 1][k];
			tail->calls[i][k] = calls < UINT32_MAX ? (uint32_t)calls : UINT32_MAX;
		}
}

COLD void tail_double(struct scp_thread *t, struct scp_rt *rt)
{
	if (rt->more->tail) {
		merge_pairs(rt->more->tail);
	} else if (t->histograms && !rt->more->tail_lost &&
		   rt->entry->batch_calls >= TAIL_BATCH_CALLS && stack_room() >= STACK_TO_RECORD) {
		struct recording recording = recording_begin(t);
		begin(t, rt);
		recording_end(t, &recording);
	}
}
