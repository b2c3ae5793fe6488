// SPDX-License-Identifier: GPL-3.0-or-later
/* The sample profile: one of everything, with sums that add up.
 *
 * Table 1: recv takes 10 calls of 100 units, send 4 of 50. Table 2: recv once.
 */
#include <string.h>

#include "tests/unit/support/scp_build.h"

static void fill_sums(struct scp_entry *e, uint64_t calls, uint64_t each, uint64_t bytes_each)
{
	e->calls = calls;
	e->units = calls * each;
	e->units_sq_lo = calls * each * each;
	e->max_units = e->min_units = e->first_units = each;
	e->max_at = 1000 + each;
	e->first_at = 1000;
	e->last_at = 1000 + e->units;
	e->flags = SCP_ENTRY_BYTES;
	e->bytes = calls * bytes_each;
	e->bytes_sq_lo = calls * bytes_each * bytes_each;
	e->bytes_units_lo = calls * bytes_each * each;
}

static void add_batches(struct scp_build *b, struct scp_entry *e, uint32_t clock, uint32_t count,
			uint64_t sum, uint64_t *offset)
{
	struct scp_batch *r = scp_build_record(b, SCP_REC_BATCH, sizeof *r);

	e->batch_count = count;
	e->batch_calls = 2;
	r->entry = e->id;
	r->clock = clock;
	for (uint32_t i = 0; i < count; i++)
		r->sum[i] = sum + i;
	*offset = scp_build_offset(b, r);
}

/* Phases of ten calls, and a line over the five batches of recv. */
static void add_phase_and_line(struct scp_build *b, uint32_t entry, struct scp_sample *s)
{
	struct scp_phase *phase = scp_build_record(b, SCP_REC_PHASE, sizeof *phase);
	struct scp_line *line = scp_build_record(b, SCP_REC_LINE, sizeof *line);

	s->phase = scp_build_offset(b, phase);
	phase->entry = entry;
	phase->count[0] = 7;
	phase->count[SCP_PHASE_BINS - 1] = 3;
	s->line = scp_build_offset(b, line);
	line->entry = entry;
	for (uint32_t i = 0; i < 5; i++) {
		line->bytes[i] = 126 + i; /* 640 in all */
		line->bytes_sq_lo[i] = 8000 + i;
		line->bytes_units_lo[i] = 12798 + i;
	}
}

static void add_gaps(struct scp_build *b, struct scp_sample *s)
{
	struct scp_gap *gap = scp_build_gap(b, 0, 1);

	s->gap = scp_build_offset(b, gap);
	gap->calls = 1;
	gap->units = gap->max_units = 10;
	gap->units_sq_lo = 100;
	gap = scp_build_gap(b, 1, 2);
	gap->calls = 4;
	gap->units = 40;
	gap->units_sq_lo = 400;
	gap->max_units = 11;
	gap = scp_build_gap(b, 2, 0);
	gap->calls = 1;
	gap->units = gap->max_units = 10;
}

static void first_table(struct scp_build *b, struct scp_sample *s)
{
	const uint64_t frames[3] = {SCP_FRAME(1, 0, 0x1234), SCP_FRAME(2, 0, 0x99),
				    SCP_FRAME(0, 1, 0x7f0000001000)};
	struct scp_table *t;
	struct scp_entry *recv, *send;
	struct scp_hist *hist;
	struct scp_first_calls *first;
	struct scp_slow *slow;
	uint64_t ignored;

	s->table_chunk = scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	t = scp_build_table(b, 1, "server");
	s->table = scp_build_offset(b, t);
	t->live = 1;
	t->first_at = 1000;
	t->last_at = 1000 + 1000 + 200 + 60 - 5 + 8;
	t->recording_units = 8;
	t->recordings = 3;
	t->walks = 2;
	t->nested_units = 5;
	t->nested_calls = 1;
	s->path = scp_build_offset(b, scp_build_path(b, 1, frames, 3));
	scp_build_path(b, 2, frames, 1)->flags = SCP_PATH_SMALL_STACK;
	recv = scp_build_entry(b, 1, 1, 7, SCP_COMPLETED);
	s->entry = scp_build_offset(b, recv);
	fill_sums(recv, 10, 100, 64);
	recv->units_sq_hi = 1; /* to see that the high half is kept */
	send = scp_build_entry(b, 2, 2, 3, SCP_WOULD_BLOCK);
	fill_sums(send, 4, 50, 0);
	send->flags = 0;
	first = scp_build_record(b, SCP_REC_FIRST_CALLS, sizeof *first);
	s->first_calls = scp_build_offset(b, first);
	first->entry = 2;
	for (uint32_t i = 0; i < 4; i++)
		first->units[i] = 50;
	add_batches(b, recv, 0, 5, 200, &s->batch);
	add_batches(b, recv, 1, 5, 2, &ignored);
	add_phase_and_line(b, 1, s);
	hist = scp_build_record(b, SCP_REC_HIST, sizeof *hist);
	s->hist = scp_build_offset(b, hist);
	hist->entry = 1;
	hist->count[(6 - 2) * 8 + ((100 >> 3) & 7)] = 10;
	slow = scp_build_record(b, SCP_REC_SLOW, sizeof *slow);
	s->slow = scp_build_offset(b, slow);
	slow->entry = 1;
	slow->units = 20;
	slow->units_sq_lo = 44;
	slow->max_units = 4;
	add_gaps(b, s);
	scp_build_close_chunk(b);
}

static void second_table(struct scp_build *b)
{
	const uint64_t frame = SCP_FRAME(1, 0, 0x1234);
	struct scp_table *t;
	struct scp_entry *e;

	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 2);
	t = scp_build_table(b, 2, "worker");
	t->threads = 3;
	t->closed_units = 70;
	t->first_at = 5000;
	t->last_at = 5030;
	scp_build_path(b, 1, &frame, 1)->flags = SCP_PATH_SMALL_STACK;
	e = scp_build_entry(b, 1, 1, 7, SCP_COMPLETED);
	fill_sums(e, 1, 100, 32);
	scp_build_close_chunk(b);
}

/* A chunk of records that no reader of today knows, with a chunk's magic in it. */
static void add_future(struct scp_build *b, struct scp_sample *s)
{
	struct scp_record *r;

	s->future_chunk = scp_build_open_optional(b, 999, 77);
	r = scp_build_record(b, 4711, 128);
	memset(r + 1, 0xff, 120);
	((struct scp_chunk *)(void *)(r + 8))->magic = SCP_CHUNK_MAGIC;
	scp_build_close_chunk(b);
}

/* Four calls of recv were switched, one of them in the second batch and three in the last. */
static void add_states(struct scp_build *b, struct scp_sample *s)
{
	struct scp_states *t;
	struct scp_state_batches *batches;
	struct scp_hist *hist;
	struct scp_table_states *table;

	scp_build_header(b)->switches = (struct scp_switches){SCP_SWITCH_RSEQ, 0, 7, 0, 1, 6, 5500};
	s->states_chunk = scp_build_open_optional(b, SCP_OPTIONAL_STATES, 1);
	t = scp_build_states(b, 1, SCP_SWITCH_RSEQ, 4, 400);
	s->states = scp_build_offset(b, t);
	t->readings = 3;
	t->off_cpu.weighted = 410;
	t->runnable_sq_lo = 900;
	t->asleep_sq_hi = 1;
	t->runnable_asleep_lo = 3000;
	t->units_runnable_lo = 5000;
	t->units_asleep_hi = 2;
	batches = scp_build_record(b, SCP_REC_STATE_BATCHES, sizeof *batches);
	s->state_batches = scp_build_offset(b, batches);
	batches->entry = 1;
	for (uint32_t i = 1; i <= 4; i += 3) {
		uint64_t calls = i == 1 ? 1 : 3;

		batches->calls[i] = calls;
		batches->units[i] = batches->known[i] = batches->weighted[i] = 100 * calls;
		batches->runnable_ns[i] = 12 * calls;
		batches->asleep_ns[i] = 50 * calls;
	}
	scp_build_close_chunk(b);
	scp_build_open_optional(b, SCP_OPTIONAL_STATES, 1);
	for (uint32_t kind = 0; kind < SCP_STATE_HISTS; kind += SCP_STATE_SLEPT) {
		hist = scp_build_record(b, SCP_REC_STATE_HIST, sizeof *hist);
		s->state_hist = scp_build_offset(b, hist);
		hist->entry = 1;
		hist->block = kind * SCP_HIST_BLOCKS;
		hist->count[36] = 4 - kind / 2;
	}
	table = scp_build_record(b, SCP_REC_TABLE_STATES, sizeof *table);
	s->table_states = scp_build_offset(b, table);
	table->detector = SCP_SWITCH_RSEQ;
	table->gaps = 2;
	table->gap_units = 20;
	table->gap_off_cpu = (struct scp_off_cpu){20, 20, 3, 10, 7, 1};
	table->covered_ns = 1200;
	table->cpu_ns = 900;
	table->delay_covered_ns = 1100;
	table->delay_ns = 30;
	table->ran_ns = 800;
	table->stolen_ns = 40;
	table->switches = 6;
	scp_build_close_chunk(b);
}

/* Two of recv in the first table, of which one was killed half-written; one in the second. */
static void add_slowest(struct scp_build *b, struct scp_sample *s)
{
	struct scp_slowest *call;

	scp_build_header(b)->slowest = (struct scp_slowest_asked){2, 0, 90, 0};
	s->slowest_chunk = scp_build_open_optional(b, SCP_OPTIONAL_SLOWEST, 1);
	call = scp_build_slowest(b, 1, 1, 100);
	s->slowest = scp_build_offset(b, call);
	call->state = SCP_SLOWEST_READ;
	call->runnable_ns = 12;
	call->asleep_ns = 50;
	scp_build_slowest(b, 2, 2, 500)->seq = 3;
	scp_build_close_chunk(b);
	add_future(b, s);
	scp_build_open_optional(b, SCP_OPTIONAL_SLOWEST, 2);
	scp_build_slowest(b, 1, 1, 101)->tid = 4712;
	scp_build_slowest(b, 2, 1, 89);
	scp_build_close_chunk(b);
}

/* Of the entry with five batches of two calls, in octave 4; of the third batch one call is missing.
 */
static void add_tail(struct scp_build *b, struct scp_sample *s)
{
	struct scp_tail *tail;

	s->tail_chunk = scp_build_open_optional(b, SCP_OPTIONAL_TAIL, 1);
	tail = scp_build_record(b, SCP_REC_TAIL, sizeof *tail);
	s->tail = scp_build_offset(b, tail);
	tail->entry = 1;
	tail->first = 3;
	tail->octaves = 4;
	for (uint32_t i = 0; i < 5; i++)
		tail->calls[i][1] = i == 2 ? 1 : 2;
	scp_build_close_chunk(b);
}

static struct scp_look *add_look(struct scp_build *b, uint32_t function, uint64_t calls,
				 uint64_t timed, uint64_t units)
{
	struct scp_look *look = scp_build_record(b, SCP_REC_LOOK, sizeof *look);

	look->function = function;
	look->calls = calls;
	look->timed = timed;
	look->weight = calls;
	look->units = units;
	look->units_sq_lo = units * units;
	return look;
}

/* In the first table two functions passed through, of the first one under two symbols; a third was
 * killed half-written. */
static void add_looks(struct scp_build *b, struct scp_sample *s)
{
	struct scp_look *look;

	s->look_chunk = scp_build_open_optional(b, SCP_OPTIONAL_LOOK, 1);
	look = add_look(b, 9, 100, 10, 5000);
	s->look = scp_build_offset(b, look);
	look->units_sq_hi = 1;
	add_look(b, 9, 3, 3, 40);
	add_look(b, 3, 20, 20, 700);
	add_look(b, 7, 4, 5, 1);
	scp_build_close_chunk(b);
	scp_build_open_optional(b, SCP_OPTIONAL_LOOK, 2);
	add_look(b, 9, 1, 0, 0)->weight = 0;
	scp_build_close_chunk(b);
}

void scp_build_sample(struct scp_build *b, struct scp_sample *s)
{
	struct scp_header *h;
	struct scp_function *f;

	scp_build_begin(b);
	h = scp_build_header(b);
	h->flags = SCP_FILE_DUAL | SCP_FILE_HISTOGRAMS;
	h->slow_clock = h->clock;
	h->slow_clock.kind = SCP_CLOCK_COARSE;
	h->slow_clock.resolution_units = 4000000;
	h->losses.skipped_calls = 2;
	h->losses.growth_errno = 28;
	h->ticker_ticks = 1000;
	h->ticker_late_max_ns = 77;
	h->ticker_cost = (struct scp_ticker_cost){9000, 20000, 5000, 100000};
	h->table_count = 2;
	strcpy(h->program, "service");
	s->process_chunk = scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	f = scp_build_function(b, 7, "recv", "libc.so.6");
	s->function = scp_build_offset(b, f);
	f->overflow_calls = 5;
	scp_build_function(b, 3, "send", "libc.so.6");
	scp_build_function(b, 9, "connect", "libc.so.6");
	s->module = scp_build_offset(b, scp_build_module(b, 1, "/usr/bin/server"));
	scp_build_module(b, 2, "/usr/lib/x86_64-linux-gnu/a-library-with-a-rather-long-name.so.1");
	scp_build_close_chunk(b);
	first_table(b, s);
	second_table(b);
	add_states(b, s);
	add_slowest(b, s);
	add_tail(b, s);
	add_looks(b, s);
	scp_build_finish(b);
}
