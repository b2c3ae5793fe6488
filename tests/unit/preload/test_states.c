// SPDX-License-Identifier: GPL-3.0-or-later
/* Switched calls of a table whose owners have different detectors, with the file and all around
 * replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/table.h"

#define UNITS 1000u

static struct profile_file process_file;
struct process process = {.file = &process_file};
struct switch_choice switch_chosen;

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
	states_add_top(thread, 200, &one);
	assert_int_equal(table.call_off_cpu.weighted, 800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_another_detector_saw_is_left_out_of_a_new_owners_record),
		cmocka_unit_test(test_what_was_read_is_weighed_by_how_long_the_call_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
