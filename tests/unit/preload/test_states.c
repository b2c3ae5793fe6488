// SPDX-License-Identifier: GPL-3.0-or-later
/* Switched calls of a table whose owners have different detectors, with the file and all around
 * replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/table.h"

#define UNITS 1000u

static struct profile_file process_file;
struct process process = {.file = &process_file};
struct switch_choice switch_chosen;
struct clock_choice clock_chosen;

static struct scp_header header;
static struct scp_entry entry;
static struct scp_thread *thread;
#define GRANULES 64u

static struct scp_rt rt;
static uint32_t slot, batch_records;

void *arena_take(struct arena *a, size_t bytes)
{
	(void)a;
	return calloc(1, bytes);
}

uint64_t clock_units_of(uint64_t ns)
{
	return ns;
}

size_t stack_room(void)
{
	return SIZE_MAX;
}

bool file_chunk(struct profile_file *f, struct file_chunk *chunk, uint64_t bytes, uint32_t type,
		uint32_t table)
{
	(void)f, (void)chunk, (void)bytes, (void)type, (void)table;
	return false;
}

bool file_optional_chunk(struct profile_file *f, struct file_chunk *chunk, uint32_t type,
			 uint32_t of)
{
	static _Alignas(SCP_RECORD_ALIGN) uint8_t granule[GRANULES][SCP_GRANULE];
	static uint32_t taken;
	struct scp_chunk *c = (struct scp_chunk *)granule[taken++];

	(void)f;
	assert_true(taken <= GRANULES);
	*c = (struct scp_chunk){.type = type, .bytes = SCP_GRANULE, .used = sizeof *c, .table = of};
	*chunk = (struct file_chunk){.chunk = c, .bytes = c->bytes, .used = c->used};
	return true;
}

static void begin(uint32_t detector)
{
	header = (struct scp_header){0};
	process.file->header = &header;
	switch_chosen = (struct switch_choice){.kind = detector};
	entry = (struct scp_entry){.id = 5};
	rt = (struct scp_rt){.entry = &entry, .id = 5};
	thread = calloc(1, sizeof *thread);
	slot = batch_records = 0;
}

/* As call_end.c and batch.c do, with batches of one call. */
static void call(uint32_t detector, uint64_t asleep_ns)
{
	struct switch_sums off = {.mark = {1, UNITS, UNITS, 0, asleep_ns}};
	const struct scp_state_batches *before = rt.states ? rt.states->batches : NULL;

	thread->switches.detector = detector;
	entry.calls++;
	entry.units += UNITS;
	states_add(thread, &rt, UNITS, &off);
	states_close_batch(thread, &rt, slot++);
	batch_records += rt.states->batches && rt.states->batches != before;
}

static void test_what_another_detector_saw_is_left_out_of_a_new_owners_record(void **state)
{
	(void)state;
	begin(SCP_SWITCH_PERF);
	for (int i = 0; i < 12; i++)
		call(SCP_SWITCH_PERF, 300);
	assert_int_equal(batch_records, 1);
	assert_int_equal(rt.states->record->from_calls, 0);
	for (int i = 0; i < 3; i++)
		call(SCP_SWITCH_SAMPLED, 200);
	assert_int_equal(rt.states->record->detector, SCP_SWITCH_SAMPLED);
	assert_int_equal(rt.states->record->from_calls, 12);
	assert_int_equal(rt.states->record->from_units, 12 * UNITS);
	assert_int_equal(rt.states->record->off_cpu.asleep_ns, 600);
	assert_int_equal(batch_records, 1);
	assert_null(rt.states->batches);
}

/* A call's own time, and not that of the segments that end in it; of several with weights of their
 * own, by the mean. */
static void test_what_was_read_is_weighed_by_how_long_the_call_was(void **state)
{
	struct scp_table_states table = {0};
	const struct scp_off_cpu *o;
	struct switch_sums one = {.mark = {1, 5000, 20000, 0, 3600}},
			   two = {.mark = {2, 3000, 7000, 0, 0}};

	(void)state;
	begin(SCP_SWITCH_RSEQ);
	thread->switches.detector = SCP_SWITCH_RSEQ;
	thread->table_states = &table;
	states_add(thread, &rt, 1000, &one);
	o = &rt.states->record->off_cpu;
	assert_int_equal(o->known, 1000);
	assert_int_equal(o->weighted, 4000);
	states_add(thread, &rt, 900, &two);
	assert_int_equal(o->known, 1900);
	assert_in_range(o->weighted, 4000 + 2099, 4000 + 2100);
	states_add_gap(thread, 100, &one);
	assert_int_equal(table.gap_off_cpu.weighted, 400);
	assert_ptr_equal(states_add_top(thread, 0, 200, &one), &one);
	assert_int_equal(table.call_off_cpu.weighted, 800);
}

#define MS 1000000u

/* A call of 1 ms, 200 us after the one before, whose thread was off its CPU until it was asked.
 * What is told of the call. */
static struct switch_mark told_of_call(uint64_t runnable_ns, uint64_t asleep_ns,
				       struct scp_table_states *table)
{
	struct switch_sums off = {{1, 3 * MS, 3 * MS, runnable_ns, asleep_ns}, 5000, 1};

	*table = (struct scp_table_states){0};
	thread->table_states = table;
	const struct switch_sums *told = states_add_top(thread, 200000, MS, &off);
	assert_int_equal(table->switches, 1);
	assert_int_equal(table->call_off_cpu.asleep_ns + table->gap_off_cpu.asleep_ns, asleep_ns);
	assert_int_equal(table->call_off_cpu.runnable_ns + table->gap_off_cpu.runnable_ns,
			 runnable_ns);
	assert_int_equal(table->call_off_cpu.waits + table->gap_off_cpu.waits, 1);
	assert_int_equal(table->gaps, told && told->mark.runnable_ns == runnable_ns ? 0 : 1);
	return told ? told->mark : (struct switch_mark){0};
}

/* Its first entry was being made when it lost its CPU, or it waited before its clock was read. */
static void test_a_wait_behind_a_call_that_slept_is_the_gaps(void **state)
{
	struct scp_table_states table;
	struct switch_mark told;

	(void)state;
	begin(SCP_SWITCH_RSEQ);
	told = told_of_call(MS / 20, MS * 9 / 10, &table);
	assert_int_equal(told.runnable_ns, MS / 20);
	assert_int_equal(told.asleep_ns, MS * 9 / 10);
	told = told_of_call(2 * MS, MS * 9 / 10, &table);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.asleep_ns, MS * 9 / 10);
	assert_int_equal(told.runnable_ns, 0);
	assert_int_equal(table.gap_off_cpu.known, 200000);
	told = told_of_call(2 * MS, 0, &table);
	assert_int_equal(told.count, 0);
	told = told_of_call(2 * MS, 1000, &table); /* within what readings are uncertain by */
	assert_int_equal(told.count, 0);
	told = told_of_call(MS / 20, 2 * MS, &table);
	assert_int_equal(told.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_another_detector_saw_is_left_out_of_a_new_owners_record),
		cmocka_unit_test(test_what_was_read_is_weighed_by_how_long_the_call_was),
		cmocka_unit_test(test_a_wait_behind_a_call_that_slept_is_the_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
