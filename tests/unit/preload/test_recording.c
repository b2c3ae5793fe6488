// SPDX-License-Identifier: GPL-3.0-or-later
/* The library's own time on the slow path: counted, and in no interval around it. The clock is a
 * page clock that the test advances; what ends a call is the library's own code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/call/call_end.c"

static volatile uint64_t now_at;
static struct scp_table table;
static struct scp_thread thread;
static uint64_t late; /* a batch closes when the call has ended: recording that takes so long */

static struct made_entry {
	struct scp_entry entry;
	struct scp_gap gap;
	struct scp_rt rt;
	struct scp_site *site;
	uint64_t true_units;
} made[2]; /* nested calls; top-level ones */

static void record(uint64_t units)
{
	struct recording r = recording_begin(&thread);

	now_at += units;
	recording_end(&thread, &r);
}

void batch_close(struct scp_thread *t, struct scp_rt *rt)
{
	assert_ptr_equal(t, &thread);
	rt->batch_end++;
	if (late)
		record(late);
}

static int set_up(void **state)
{
	(void)state;
	now_at = 1000;
	late = 0;
	clock_chosen.kind = SCP_CLOCK_PAGE;
	clock_chosen.page = &now_at;
	process_epoch.now.generation = 1;
	memset(&table, 0, sizeof table);
	memset(&thread, 0, sizeof thread);
	thread.table = &table;
	thread.clock = SCP_CLOCK_PAGE;
	thread.fast_limit = UINT32_MAX;
	thread.slowest.limit = UINT64_MAX;
	thread.switches.word = &thread.switches.still;
	thread.last_at = table.first_at = table.last_at = now_at;
	thread.previous = &made[1].rt;
	thread_self = &thread;
	for (unsigned i = 0; i < 2; i++) {
		struct made_entry *m = &made[i];

		free(m->site);
		memset(m, 0, sizeof *m);
		m->entry.min_units = ~UINT64_C(0);
		m->rt.batch_end = 1;
		m->rt.entry = &m->entry;
		m->rt.span = UINT32_MAX;
		m->rt.gap[0] = (struct scp_rt_next){
			.to = &made[1].rt, .gap = &m->gap, .limit = UINT32_MAX};
		m->site = calloc(1, sizeof *m->site);
		for (unsigned k = 0; k < SCP_OUTCOMES; k++)
			m->site->rt[k] = &m->rt;
	}
	return 0;
}

static uint64_t recorded_time(void)
{
	return made[0].entry.units + made[1].entry.units - table.nested_units + made[0].gap.units +
	       made[1].gap.units + table.recording_units;
}

static void begin(struct scp_call *c, uintptr_t cfa)
{
	*c = (struct scp_call){.thread = &thread,
			       .clock = SCP_CLOCK_PAGE,
			       .site = made[!thread.open].site,
			       .cfa = cfa,
			       .outer = thread.open,
			       .inner_at = thread.inner,
			       .recorded = thread.recorded};
	thread.open = cfa;
	c->began_at = now_at;
}

static void end(struct scp_call *c)
{
	call_end_at(c, (struct call_result){SCP_COMPLETED, 0}, false, now_at, 0);
}

static void test_top_level_call(void **state)
{
	struct scp_call c;

	(void)state;
	now_at += 10;
	begin(&c, 64);
	now_at += 3;
	record(500);
	now_at += 4;
	assert_int_equal(thread.inside, 500); /* the fast path gives up such a call */
	late = 70;
	end(&c);
	assert_int_equal(made[1].entry.units, 7);
	assert_int_equal(made[1].entry.max_units, 7);
	assert_int_equal(made[1].gap.units, 10);
	assert_int_equal(table.recording_units, 570);
	assert_int_equal(table.recordings, 2);
	assert_int_equal(table.last_at, now_at);
	assert_int_equal(recorded_time(), table.last_at - table.first_at);
	assert_int_equal(thread.inside, 0);
}

static void test_fast_top_level_call(void **state)
{
	(void)state;
	now_at += 10;
	uint64_t began_at = now_at;
	now_at += 7;
	late = 70;
	assert_true(call_fast_add(true, &thread, &made[1].rt, began_at, now_at, 0, false));
	assert_int_equal(made[1].entry.units, 7);
	assert_int_equal(table.recording_units, 70);
	assert_int_equal(table.last_at, now_at);
	assert_int_equal(recorded_time(), table.last_at - table.first_at);
	/* Of the next call nothing is to be taken off. */
	late = 0;
	began_at = now_at += 20;
	now_at += 80;
	assert_true(call_fast_add(true, &thread, &made[1].rt, began_at, now_at, 0, false));
	assert_int_equal(made[1].entry.units, 87);
	assert_int_equal(recorded_time(), table.last_at - table.first_at);
}

/* Also of a process that is killed, or looked at, inside the call. */
static void test_identity_inside_a_call(void **state)
{
	struct scp_call c;

	(void)state;
	begin(&c, 64);
	now_at += 3;
	record(500);
	assert_int_equal(table.recording_units, 500);
	assert_int_equal(recorded_time(), table.last_at - table.first_at);
	end(&c);
}

static void test_recording_in_a_recording(void **state)
{
	struct recording r = recording_begin(&thread);

	(void)state;
	now_at += 5;
	record(40);
	now_at += 6;
	recording_end(&thread, &r);
	assert_int_equal(table.recording_units, 51);
	assert_int_equal(thread.inside, 51);
}

static void test_dual(void **state)
{
	struct scp_call c;
	struct scp_slow slow = {.units = 0};

	(void)state;
	thread.slow_clock = SCP_CLOCK_PAGE;
	clock_chosen.slow_kind = SCP_CLOCK_PAGE;
	made[1].rt.slow = &slow;
	begin(&c, 64);
	c.slow_began_at = now_at;
	record(500);
	now_at += 9;
	call_end(&c, (struct call_result){SCP_COMPLETED, 0}, false);
	clock_chosen.slow_kind = SCP_CLOCK_NONE;
	assert_int_equal(made[1].entry.units, 9);
	assert_int_equal(slow.units, 9);
}

static void test_switched_recording(void **state)
{
	struct recording r = recording_begin(&thread);

	(void)state;
	now_at += 5000;
	thread.switches.still = 1;
	recording_end(&thread, &r);
	assert_int_equal(table.recordings, 1);
	assert_int_equal(table.recording_units, 0);
	assert_int_equal(thread.inside, 0);
	/* Switched before: of that nothing is known here. */
	record(30);
	assert_int_equal(table.recording_units, 30);
}

static void test_clock_that_went_backwards(void **state)
{
	struct recording r = recording_begin(&thread);

	(void)state;
	now_at -= 7;
	recording_end(&thread, &r);
	assert_int_equal(table.recording_units, 0);
	assert_int_equal(recorded_time(), table.last_at - table.first_at);
}

static void test_handler_before_the_first_reading(void **state)
{
	struct scp_call c;

	(void)state;
	now_at += 10;
	begin(&c, 64);
	record(90); /* of a handler's call */
	c.began_at = now_at;
	now_at += 2;
	end(&c);
	begin(&c, 64);
	now_at += 5;
	end(&c);
	assert_int_equal(recorded_time(), table.last_at - table.first_at);
}

/* A number below n: of a linear congruential generator (Knuth's MMIX). */
static uint64_t below(uint64_t n)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % n;
}

/* Returns the time that passed but for recordings; false: as little as calls do. */
static uint64_t random_calls(int depth)
{
	uint64_t units = 0;

	for (uint64_t left = below(4); left; left--) {
		uint64_t own = below(100), inside = 0;
		struct scp_call c;

		if (below(2))
			record(below(1000));
		if (!thread.open)
			recording_settle(&thread);
		begin(&c, 64 * (uintptr_t)(depth + 1));
		unsigned which = c.outer ? 0 : 1;
		now_at += own;
		inside = own + (depth < 4 ? random_calls(depth + 1) : 0);
		late = below(2) ? below(1000) : 0;
		end(&c);
		made[which].true_units += inside;
		units += inside;
		assert_int_equal(made[which].entry.units, made[which].true_units);
	}
	return units;
}

static void test_random_calls(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t between = below(50);

		now_at += between;
		random_calls(0);
		assert_int_equal(recorded_time(), table.last_at - table.first_at);
	}
	assert_true(made[0].entry.calls > 1000 && made[1].entry.calls > 1000);
	assert_true(table.recording_units > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_top_level_call, set_up),
		cmocka_unit_test_setup(test_fast_top_level_call, set_up),
		cmocka_unit_test_setup(test_identity_inside_a_call, set_up),
		cmocka_unit_test_setup(test_recording_in_a_recording, set_up),
		cmocka_unit_test_setup(test_dual, set_up),
		cmocka_unit_test_setup(test_switched_recording, set_up),
		cmocka_unit_test_setup(test_clock_that_went_backwards, set_up),
		cmocka_unit_test_setup(test_handler_before_the_first_reading, set_up),
		cmocka_unit_test_setup(test_random_calls, set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
