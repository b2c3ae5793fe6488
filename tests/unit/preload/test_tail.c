// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls by octaves, batch by batch, as the library counts them: call after call goes to the
 * histogram and the batches, with the file and all around replaced, and each slot must hold just
 * the octaves of its batch's calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/table.h"
#include "preload/table/header.h"
#include "preload/table/sums.h"

#define MOST_CALLS 70000u

struct clock_choice clock_chosen;
static struct profile_file process_file;
struct process process = {.file = &process_file};

static _Alignas(4096) uint8_t granule[SCP_GRANULE];
static struct scp_header header;
static struct scp_table table;
static struct scp_entry entry;
static struct scp_hist hist[SCP_HIST_BLOCKS];
static struct scp_batch batch;
static struct scp_thread *thread;
static struct scp_rt rt;
static struct scp_rt_more more;
static bool has_room;
static size_t room_left;
static uint64_t duration[MOST_CALLS];

void *arena_take(struct arena *a, size_t bytes)
{
	(void)a;
	return calloc(1, bytes);
}

uint64_t clock_read_library(uint32_t kind)
{
	(void)kind;
	return 0;
}

size_t stack_room(void)
{
	return room_left;
}

void header_refresh_by(struct header_asked *asked, uint64_t now)
{
	(void)asked, (void)now;
}

bool table_more(struct scp_thread *t, struct scp_rt *r)
{
	(void)t;
	return r->more;
}

void states_close_batch(struct scp_thread *t, struct scp_rt *r, uint32_t slot)
{
	(void)t, (void)r, (void)slot;
}

void states_merge_pairs(struct scp_rt *r)
{
	(void)r;
}

bool file_chunk(struct profile_file *f, struct file_chunk *c, uint64_t bytes, uint32_t type,
		uint32_t of)
{
	(void)f, (void)c, (void)bytes, (void)type, (void)of;
	return false;
}

bool file_optional_chunk(struct profile_file *f, struct file_chunk *chunk, uint32_t type,
			 uint32_t of)
{
	struct scp_chunk *c = (struct scp_chunk *)(void *)granule;

	(void)f;
	if (!has_room)
		return false;
	assert_int_equal(c->used, 0); /* one for the entry */
	*c = (struct scp_chunk){.type = type, .bytes = SCP_GRANULE, .used = sizeof *c, .table = of};
	*chunk = (struct file_chunk){.chunk = c, .bytes = c->bytes, .used = c->used};
	return true;
}

static int begin(void **state)
{
	(void)state;
	memset(granule, 0, sizeof granule);
	memset(hist, 0, sizeof hist);
	batch = (struct scp_batch){0};
	header = (struct scp_header){0};
	process.file->header = &header;
	entry = (struct scp_entry){.id = 5, .batch_calls = 2, .batch_end = 1};
	more = (struct scp_rt_more){.batch = &batch};
	rt = (struct scp_rt){.entry = &entry, .id = 5, .more = &more};
	for (uint32_t i = 0; i < SCP_HIST_BLOCKS; i++)
		more.hist[i] = &hist[i];
	thread = calloc(1, sizeof *thread);
	thread->histograms = true;
	thread->table_id = 3;
	thread->table = &table;
	thread->switches.word = &thread->switches.still;
	has_room = true;
	room_left = 1 << 20;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(thread);
	return 0;
}

/* As call_end.c does. */
static void call(uint64_t units)
{
	uint32_t bucket = sums_bucket(units);

	duration[entry.calls] = units;
	entry.units += units;
	hist[bucket / SCP_HIST_BUCKETS].count[bucket % SCP_HIST_BUCKETS]++;
	if (++entry.calls == entry.batch_end)
		batch_close(thread, &rt);
}

/* Any number of zero bits before the first one, so that there are many octaves. */
static uint64_t draw(uint64_t *random, uint32_t bits)
{
	*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (*random >> 34) >> (*random >> 20) % bits;
}

static void expect_slot(uint32_t slot)
{
	uint32_t count[SCP_TAIL_OCTAVES] = {0};

	for (uint64_t i = 0; i < entry.batch_calls; i++) {
		uint32_t octave = sums_bucket(duration[slot * entry.batch_calls + i]) / 8;
		uint32_t k = octave < more.tail->first ? 0 : octave - more.tail->first;

		count[k < SCP_TAIL_OCTAVES ? k : SCP_TAIL_OCTAVES - 1]++;
	}
	assert_memory_equal(more.tail->calls[slot], count, sizeof count);
}

static void test_each_slot_holds_the_octaves_of_its_batch(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (uint32_t i = 0; i < MOST_CALLS; i++) {
		call(draw(&random, 28));
		if (!more.tail || i % 997)
			continue;
		for (uint32_t slot = 0; slot < entry.batch_count; slot++)
			if (slot * entry.batch_calls >= 512)
				expect_slot(slot);
	}
	assert_true(entry.batch_calls == 2048);
	assert_int_equal(more.tail->entry, 5);
	assert_int_equal(((struct scp_chunk *)(void *)granule)->table, 3);
	assert_int_equal(((struct scp_chunk *)(void *)granule)->used, SCP_GRANULE);
}

/* The 512 calls before the record are not in it: their slots do not add up. */
static void test_slots_from_before_the_record_do_not_add_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 511; i++)
		call(1000);
	assert_null(more.tail);
	for (uint32_t i = 0; i < 3000; i++)
		call(1000);
	assert_non_null(more.tail);
	assert_int_equal(more.tail->first, sums_bucket(1000) / 8 - 1);
	for (uint32_t slot = 0; slot < entry.batch_count; slot++) {
		bool known = slot * entry.batch_calls >= 512;

		assert_int_equal(more.tail->calls[slot][1] == entry.batch_calls, known);
	}
}

static void test_slow_clocks_and_small_stacks_have_none(void **state)
{
	(void)state;
	thread->histograms = false;
	for (uint32_t i = 0; i < 2000; i++)
		call(1000);
	assert_null(more.tail);
	thread->histograms = true;
	room_left = STACK_TO_RECORD - 1;
	for (uint32_t i = 0; i < 2000; i++)
		call(1000);
	assert_null(more.tail);
	assert_int_equal(header.losses.histogram_losses, 0);
	room_left = STACK_TO_RECORD; /* another thread has the table now */
	for (uint32_t i = 0; i < 5000; i++)
		call(1000);
	assert_non_null(more.tail);
}

static void test_no_room_is_counted_once(void **state)
{
	(void)state;
	has_room = false;
	for (uint32_t i = 0; i < 5000; i++)
		call(1000);
	assert_null(more.tail);
	assert_int_equal(header.losses.histogram_losses, 1);
}

/* A handler may leave a batch's closing by longjmp anywhere: later slots add up again. */
static void test_calls_that_the_histogram_lost_leave_one_slot_unknown(void **state)
{
	uint32_t unknown = 0;

	(void)state;
	for (uint32_t i = 0; i < 4096; i++)
		call(1000);
	entry.calls++; /* in no histogram */
	for (uint32_t i = 0; i < 4096; i++)
		call(1000);
	for (uint32_t slot = 512 / entry.batch_calls; slot < entry.batch_count; slot++)
		unknown += more.tail->calls[slot][1] != entry.batch_calls;
	assert_int_equal(unknown, 1);
}

static void test_counts_of_more_than_32_bits_stay_at_the_most(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 600; i++)
		call(1000);
	hist[sums_bucket(1000) / SCP_HIST_BUCKETS].count[sums_bucket(1000) % SCP_HIST_BUCKETS] +=
		UINT64_C(1) << 32;
	for (uint32_t i = 0; i < 2 * entry.batch_calls; i++)
		call(1000);
	assert_true(more.tail->calls[entry.batch_count - 2][1] == UINT32_MAX);
	assert_true(more.tail->calls[entry.batch_count - 1][1] == entry.batch_calls);
	for (uint32_t i = 0; i < 600; i++)
		call(1000); /* merged: no overflow */
	assert_true(more.tail->calls[37 / 2][1] == UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_slot_holds_the_octaves_of_its_batch,
						begin, end),
		cmocka_unit_test_setup_teardown(test_slots_from_before_the_record_do_not_add_up,
						begin, end),
		cmocka_unit_test_setup_teardown(test_slow_clocks_and_small_stacks_have_none, begin,
						end),
		cmocka_unit_test_setup_teardown(test_no_room_is_counted_once, begin, end),
		cmocka_unit_test_setup_teardown(
			test_calls_that_the_histogram_lost_leave_one_slot_unknown, begin, end),
		cmocka_unit_test_setup_teardown(test_counts_of_more_than_32_bits_stay_at_the_most,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
