// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes the profiles that programs leave behind whose calls meet the tick in a known way, so
 * that what follows from them does not hang on the chance of a run: always the same file for
 * the same arguments.
 * make_ticks waits CALLS SEED OUT   waits of 0.3 ticks of the page clock (10 ms), each begun at
 *                                   random in the tick; a wait and its pause take 6 ms
 * make_ticks paced CALLS OUT        calls that all begin in one place of the coarse clock's tick
 *                                   (4 ms) and end long before the next
 * Exit status 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/scp_build.h"

#define PAGE_TICK_NS   10000000u
#define WAIT_NS	       3000000u
#define WAIT_EACH_NS   6000000u
#define COARSE_TICK_NS 4000000u
#define PACED_BIN      3

static uint64_t state;

/* A number from 0 to below `below`: xorshift64* (Vigna 2016), whose upper bits are the good ones.
 */
static uint64_t next_below(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 2685821657736338717u >> 33) % below;
}

/* A process of one thread that lived for `ns`, and has one site: `function`. */
static struct scp_entry *begin(struct scp_build *b, uint64_t ns, uint64_t seed,
			       const char *function)
{
	const uint64_t frame = SCP_FRAME(1, 0, 0x1234);
	struct scp_header *h;

	scp_build_begin(b);
	h = scp_build_header(b);
	h->start_real_ns += seed * 1000000000000u; /* not at the same time as another seed's */
	h->start_mono_ns += seed * 1000000000000u;
	h->end_mono_ns = h->start_mono_ns + ns;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, function, "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	scp_build_table(b, 1, "server");
	scp_build_path(b, 1, &frame, 1);
	return scp_build_entry(b, 1, 1, 1, SCP_COMPLETED);
}

static void set_clock(struct scp_build *b, uint32_t kind, uint64_t units_per_tick, uint64_t tick_ns)
{
	struct scp_header *h = scp_build_header(b);
	uint64_t ns = h->end_mono_ns - h->start_mono_ns;

	h->clock_requested = kind;
	h->clock.kind = kind;
	h->clock.flags = kind == SCP_CLOCK_PAGE ? SCP_CLOCK_RANDOMIZED : 0;
	h->clock.resolution_units = units_per_tick;
	h->clock.unit_ps = tick_ns * 1000 / units_per_tick;
	h->clock.last = (struct scp_anchor){ns / tick_ns * units_per_tick, ns, 40};
}

/* The smallest power of two of calls a batch that leaves room for all. */
static uint64_t calls_a_batch(uint64_t calls)
{
	uint64_t each = 1;

	while (each * SCP_BATCHES < calls)
		each *= 2;
	return each;
}

static void make_waits(struct scp_build *b, uint64_t calls, uint64_t seed)
{
	struct scp_entry *e = begin(b, calls * WAIT_EACH_NS, seed, "select");
	struct scp_batch *batches = scp_build_record(b, SCP_REC_BATCH, sizeof *batches);

	state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	set_clock(b, SCP_CLOCK_PAGE, 1, PAGE_TICK_NS);
	batches->entry = e->id;
	e->batch_calls = calls_a_batch(calls);
	e->batch_count = (uint32_t)(calls / e->batch_calls); /* full ones */
	e->calls = calls;
	for (uint64_t i = 0; i < calls; i++) {
		bool tick = next_below(PAGE_TICK_NS) < WAIT_NS;

		e->units += tick;
		if (i == 0)
			e->first_units = tick;
		if (i / e->batch_calls < e->batch_count)
			batches->sum[i / e->batch_calls] += tick;
	}
	e->units_sq_lo = e->units;
	e->max_units = e->units > 0;
	e->min_units = e->units == calls;
	scp_build_close_chunk(b);
}

static void make_paced(struct scp_build *b, uint64_t calls)
{
	struct scp_entry *e = begin(b, calls * COARSE_TICK_NS, 0, "read");
	struct scp_phase *phase = scp_build_record(b, SCP_REC_PHASE, sizeof *phase);

	set_clock(b, SCP_CLOCK_COARSE, COARSE_TICK_NS, COARSE_TICK_NS);
	e->calls = calls;
	phase->entry = e->id;
	phase->count[PACED_BIN] = calls;
	scp_build_close_chunk(b);
}

int main(int argc, char **argv)
{
	struct scp_build b;
	uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc == 5 && calls && !strcmp(argv[1], "waits")) {
		make_waits(&b, calls, strtoull(argv[3], NULL, 10));
	} else if (argc == 4 && calls && !strcmp(argv[1], "paced")) {
		make_paced(&b, calls);
	} else {
		fputs("usage: make_ticks waits CALLS SEED OUT | make_ticks paced CALLS OUT\n",
		      stderr);
		return 2;
	}
	scp_build_finish(&b);
	scp_build_save(&b, argv[argc - 1]);
	scp_build_free(&b);
	return 0;
}
