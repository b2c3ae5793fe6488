// SPDX-License-Identifier: GPL-3.0-or-later
/* The fast path of a call and the slow one leave the same records: the same calls go both ways,
 * each into a table of its own, and the two tables must be equal. And an entry's first calls
 * are kept one by one until its histogram begins with all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "preload/call/call_fast.h"
#include "preload/switches/switch_track.h"
#include "preload/table/table.h"

#define CHUNK_BYTES (64u * SCP_GRANULE)
#define SITES	    4u
#define CFA	    UINT64_C(0x7ffc0000)

struct table_side {
	struct scp_thread *thread;
	struct scp_site site[SITES];
	struct scp_rt *rt[SITES];
	uint64_t slow; /* calls that did not take the fast path */
	_Alignas(64) uint8_t chunk[CHUNK_BYTES];
};

static struct table_side *fast, *slow;
static uint64_t seed;

static uint64_t below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % n;
}

static uint64_t no_ticks;

static struct table_side *make_side(bool page, bool bytes)
{
	struct table_side *s = aligned_alloc(64, sizeof *s);
	struct scp_thread *t = calloc(1, sizeof *t);
	static struct scp_header header;
	static struct profile_file file = {.header = &header,
					   .growing = 1}; /* by another thread: no room */

	assert_non_null(s);
	assert_non_null(t);
	memset(s, 0, sizeof *s);
	s->thread = t;
	t->chunk = (struct file_chunk){.chunk = (struct scp_chunk *)s->chunk,
				       .bytes = CHUNK_BYTES,
				       .used = sizeof(struct scp_chunk)};
	t->file = &file;
	t->index.first = 1 << 16;
	t->index.limit = 1 << 24;
	t->histograms = !page;
	t->clock = SCP_CLOCK_PAGE; /* that stands still: recording takes no time */
	clock_chosen.page = &no_ticks;
	t->fast_limit = UINT32_MAX;
	t->slowest.limit = UINT64_MAX;
	t->previous = &t->start_mark;
	t->last_at = 1000;
	t->table = calloc(1, sizeof *t->table);
	assert_non_null(t->table);
	switch_detector_release(&t->switches);
	for (uint32_t i = 0; i < SITES; i++) {
		s->site[i] = (struct scp_site){.path = 1, .function = i};
		for (uint32_t k = 0; k < SCP_OUTCOMES; k++)
			s->site[i].rt[k] = &t->no_entry;
		s->rt[i] = table_entry(t, &s->site[i], SCP_COMPLETED, bytes, 1000);
		assert_non_null(s->rt[i]);
	}
	return s;
}

static void end_side(struct table_side *s)
{
	arena_release(&s->thread->index);
	free(s->thread->table);
	free(s->thread);
	free(s);
}

static void add_slowly(struct table_side *s, uint32_t site, uint64_t began_at, uint64_t now,
		       uint64_t bytes, bool has_bytes)
{
	struct scp_call call = {
		.thread = s->thread, .site = &s->site[site], .began_at = began_at, .cfa = CFA};

	thread_self = s->thread;
	call_end_at(&call, (struct call_result){SCP_COMPLETED, bytes}, has_bytes, now, 0);
	s->slow++;
}

static void add(bool page, uint32_t site, uint64_t began_at, uint64_t now, uint64_t bytes,
		bool has_bytes)
{
	struct scp_rt *rt = fast->rt[site];
	bool done = page ? call_fast_add(true, fast->thread, rt, began_at, now, bytes, has_bytes)
			 : call_fast_add(false, fast->thread, rt, began_at, now, bytes, has_bytes);

	if (!done)
		add_slowly(fast, site, began_at, now, bytes, has_bytes);
	add_slowly(slow, site, began_at, now, bytes, has_bytes);
}

/* How often it was changed is each path's own; that it is not being changed is not. */
static void settle(struct table_side *s)
{
	uint64_t at = sizeof(struct scp_chunk);

	while (at < s->thread->chunk.used) {
		struct scp_record *r = (struct scp_record *)(s->chunk + at);
		uint32_t *seq = r->type == SCP_REC_ENTRY ? &((struct scp_entry *)r)->seq
				: r->type == SCP_REC_GAP ? &((struct scp_gap *)r)->seq
							 : NULL;
		if (seq)
			*seq &= 1;
		assert_true(r->bytes > 0);
		at += r->bytes;
	}
}

static void assert_same(void)
{
	settle(fast);
	settle(slow);
	assert_int_equal(fast->thread->chunk.used, slow->thread->chunk.used);
	assert_memory_equal(fast->chunk, slow->chunk, fast->thread->chunk.used);
	assert_memory_equal(fast->thread->table, slow->thread->table, sizeof *slow->thread->table);
	assert_int_equal(fast->thread->last_at, slow->thread->last_at);
}

static void make_calls(bool page, bool has_bytes, uint32_t calls)
{
	uint64_t at = 1000;
	uint32_t site = 0;

	seed = 7;
	fast = make_side(page, has_bytes);
	slow = make_side(page, has_bytes);
	for (uint32_t i = 0; i < calls; i++) {
		/* of the page clock most are of no units, and so are most gaps */
		uint64_t gap = page && below(8) ? 0 : below(300),
			 units = page && below(8) ? 0 : below(5000);
		uint64_t bytes = has_bytes ? below(70000) : 0;
		if (below(500) == 0)
			bytes = has_bytes ? (UINT64_C(1) << 32) + below(100) : 0;
		if (below(500) == 0)
			units = UINT64_C(1) << (30 + below(5));
		if (below(500) == 0)
			gap = UINT64_C(1) << (30 + below(5));
		if (below(50) == 0) /* intervals that ended inside */
			fast->thread->inner = slow->thread->inner = 1 + below(3);
		site = below(8) ? site : (site + 1) % SITES;
		add(page, site, at + gap, at + gap + units, bytes, has_bytes);
		at += gap + units;
	}
	assert_same();
	assert_true(fast->slow < calls / 10);
	assert_int_equal(slow->slow, calls);
	end_side(fast);
	end_side(slow);
}

static void test_page(void **state)
{
	(void)state;
	make_calls(true, false, 20000);
}

static void test_page_bytes(void **state)
{
	(void)state;
	make_calls(true, true, 20000);
}

static void test_tsc(void **state)
{
	(void)state;
	make_calls(false, false, 20000);
}

static void test_tsc_bytes(void **state)
{
	(void)state;
	make_calls(false, true, 20000);
}

static uint64_t histograms_in(const struct table_side *s, uint64_t *counted)
{
	uint64_t at = sizeof(struct scp_chunk), records = 0;

	*counted = 0;
	while (at < s->thread->chunk.used) {
		const struct scp_record *r = (const struct scp_record *)(s->chunk + at);
		const struct scp_hist *h = (const struct scp_hist *)r;
		if (r->type == SCP_REC_HIST)
			for (uint32_t i = 0; i < SCP_HIST_BUCKETS; i++)
				*counted += h->count[i];
		records += r->type == SCP_REC_HIST;
		at += r->bytes;
	}
	return records;
}

static const void *find_record(const struct table_side *s, uint32_t type, uint32_t *found)
{
	const void *first = NULL;

	*found = 0;
	for (uint64_t at = sizeof(struct scp_chunk); at < s->thread->chunk.used;) {
		const struct scp_record *r = (const struct scp_record *)(s->chunk + at);
		if (r->type == type && !(*found)++)
			first = r;
		at += r->bytes;
	}
	return first;
}

static uint64_t units_of(uint32_t call)
{
	return call % 3 ? 100 + 20 * call : 100000 + call; /* of two blocks */
}

static void add_calls(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		add_slowly(slow, 0, 1000000 * (i + 1), 1000000 * (i + 1) + units_of(i), 0, false);
}

static void assert_counted(uint32_t calls)
{
	uint64_t counted;

	histograms_in(slow, &counted);
	assert_int_equal(counted, calls);
	for (uint32_t i = 0; i < calls; i++) {
		uint32_t bucket = sums_bucket(units_of(i)), same = 0;
		for (uint32_t k = 0; k < calls; k++)
			same += sums_bucket(units_of(k)) == bucket;
		assert_int_equal(slow->rt[0]->more->hist[bucket / 64]->count[bucket % 64], same);
	}
}

static void test_few_calls_are_kept_one_by_one(void **state)
{
	const struct scp_first_calls *f;
	uint64_t counted;
	uint32_t found;

	(void)state;
	slow = make_side(false, false);
	add_calls(0, 1);
	find_record(slow, SCP_REC_FIRST_CALLS, &found);
	assert_int_equal(found, 0);
	assert_null(slow->rt[0]->more);
	for (uint32_t calls = 2; calls <= SCP_FIRST_CALLS; calls++) {
		add_calls(calls - 1, calls);
		f = find_record(slow, SCP_REC_FIRST_CALLS, &found);
		assert_int_equal(found, 1);
		assert_int_equal(f->entry, slow->rt[0]->id);
		for (uint32_t i = 0; i < calls; i++)
			assert_int_equal(f->units[i], units_of(i));
	}
	assert_int_equal(histograms_in(slow, &counted), 0);
	find_record(slow, SCP_REC_BATCH, &found);
	assert_int_equal(found, 0);
	assert_int_equal(slow->rt[0]->entry->batch_count, 3);
	end_side(slow);
}

static void test_histogram_and_batches_begin_with_all_first_calls(void **state)
{
	const struct scp_batch *b;
	uint64_t counted;
	uint32_t found;

	(void)state;
	slow = make_side(false, false);
	add_calls(0, SCP_FIRST_CALLS + 1);
	assert_int_equal(histograms_in(slow, &counted), 2);
	assert_counted(SCP_FIRST_CALLS + 1);
	find_record(slow, SCP_REC_BATCH, &found);
	assert_int_equal(found, 0);
	add_calls(SCP_FIRST_CALLS + 1, 20);
	assert_counted(20);
	b = find_record(slow, SCP_REC_BATCH, &found);
	assert_int_equal(found, 1);
	assert_int_equal(slow->rt[0]->entry->batch_count, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(b->sum[i], units_of(2 * i) + units_of(2 * i + 1));
	find_record(slow, SCP_REC_FIRST_CALLS, &found);
	assert_int_equal(found, 1);
	end_side(slow);
}

/* A handler may leave a call by longjmp when its duration is kept, or the histogram has the first
 * calls: the entry has as many calls as before, and nothing is counted twice. */
static void test_first_calls_are_counted_once(void **state)
{
	for (uint32_t left = 2; left <= SCP_FIRST_CALLS + 1; left++) {
		struct scp_entry before;
		uint32_t found;

		(void)state;
		slow = make_side(false, false);
		add_calls(0, left - 1);
		before = *slow->rt[0]->entry;
		first_calls_add(slow->thread, slow->rt[0], before.calls, 77);
		assert_memory_equal(slow->rt[0]->entry, &before, sizeof before);
		add_calls(left - 1, SCP_FIRST_CALLS + 1);
		find_record(slow, SCP_REC_FIRST_CALLS, &found);
		assert_int_equal(found, 1);
		assert_counted(SCP_FIRST_CALLS + 1);
		end_side(slow);
	}
}

static void test_first_calls_have_no_room(void **state)
{
	uint64_t counted;
	uint32_t found;

	(void)state;
	slow = make_side(false, false);
	add_calls(0, 1);
	slow->thread->chunk.bytes = slow->thread->chunk.used;
	add_calls(1, 40);
	assert_int_equal(slow->rt[0]->entry->calls, 40);
	find_record(slow, SCP_REC_FIRST_CALLS, &found);
	assert_int_equal(found, 0);
	assert_int_equal(histograms_in(slow, &counted), 0);
	end_side(slow);
}

/* A call of so many ns, in which the detector has seen one switch, for so long. */
static void add_switched(uint64_t units, uint64_t runnable_ns)
{
	struct switch_watch *w = &slow->thread->switches;
	uint64_t at = slow->thread->last_at + 300;

	w->word = &w->still;
	w->armed = w->still = 1;
	w->expected = 2; /* seen by a nested call */
	w->sums = w->top = (struct switch_sums){0};
	w->sums.mark =
		(struct switch_mark){1, 2 * runnable_ns, 4 * runnable_ns, 2 * runnable_ns, 0};
	add_slowly(slow, 0, at, at + units, 0, false);
}

/* Its time was read just before it, or after. */
static void test_a_wait_longer_than_the_call_is_the_gaps(void **state)
{
	struct scp_table_states states = {0};

	(void)state;
	slow = make_side(true, false);
	slow->thread->table_states = &states;
	clock_chosen.described = (struct scp_clock){.kind = SCP_CLOCK_MONOTONIC, .unit_ps = 1000};
	add_switched(1000, 70000000);
	assert_int_equal(states.gaps, 1);
	assert_int_equal(states.gap_off_cpu.runnable_ns, 140000000);
	assert_int_equal(states.call_off_cpu.runnable_ns, 0);
	add_switched(70500000, 70000000);
	assert_int_equal(states.gaps, 1);
	assert_int_equal(states.call_off_cpu.runnable_ns, 140000000);
	add_switched(1000, 15000); /* within what is uncertain */
	assert_int_equal(states.gaps, 1);
	clock_chosen.kind = SCP_CLOCK_PAGE; /* its ticker may be late */
	add_switched(0, 70000000);
	assert_int_equal(states.gaps, 1);
	clock_chosen.kind = SCP_CLOCK_NONE;
	end_side(slow);
}

/* As the counter of a machine that has slept: far behind what was read before. */
static void test_a_clock_that_went_back_makes_no_call_longer(void **state)
{
	const uint64_t far = UINT64_C(1) << 40;
	struct scp_thread *t;

	(void)state;
	slow = make_side(false, false);
	t = slow->thread;
	t->last_at = far + 100;
	add_slowly(slow, 0, far + 10, far + 13, 0, false);
	assert_int_equal(slow->rt[0]->entry->units, 3);
	assert_int_equal(t->table->nested_units, 3); /* in no part of the thread's time */
	assert_int_equal(t->last_at, far + 100);     /* which stands still */
	add_slowly(slow, 0, 20, 25, 0, false);
	assert_int_equal(slow->rt[0]->entry->units, 8);
	assert_int_equal(t->table->nested_units, 8);
	assert_int_equal(t->table->closed_units, far + 100);
	add_slowly(slow, 0, 30, 34, 0, false);
	assert_int_equal(slow->rt[0]->entry->units, 12);
	assert_int_equal(slow->rt[0]->entry->max_units, 5);
	assert_int_equal(t->table->nested_units, 8);
	assert_int_equal(t->table->closed_units, far + 100);
	assert_int_equal(t->table->first_at, 25);
	assert_int_equal(t->table->last_at, 34);
	end_side(slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_page_bytes),
		cmocka_unit_test(test_tsc),
		cmocka_unit_test(test_tsc_bytes),
		cmocka_unit_test(test_few_calls_are_kept_one_by_one),
		cmocka_unit_test(test_histogram_and_batches_begin_with_all_first_calls),
		cmocka_unit_test(test_first_calls_are_counted_once),
		cmocka_unit_test(test_first_calls_have_no_room),
		cmocka_unit_test(test_a_wait_longer_than_the_call_is_the_gaps),
		cmocka_unit_test(test_a_clock_that_went_back_makes_no_call_longer),
	};

	process_epoch.now.generation = 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
