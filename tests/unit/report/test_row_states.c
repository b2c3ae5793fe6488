// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of a live row's calls goes: what is read again of a file, the difference of two
 * readings, and the shares. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/live/live_rows.h"
#include "tests/unit/support/scp_build.h"

/* 1000 calls of 2 us; 100 of them switched, in segments of 1.1 ms together, a quarter of it read.
 */
static struct prof_reading reading(void)
{
	return (struct prof_reading){.calls = 1000,
				     .units = 2000000,
				     .states = {.detector = SCP_SWITCH_RSEQ,
						.calls = 100,
						.units = 1100000,
						.known = 1100000,
						.weighted = 2200000,
						.runnable_ns = 200000,
						.asleep_ns = 1600000}};
}

static struct row_states states_of(const struct prof_reading *r, uint32_t detector)
{
	struct row_sums_states sums = {0};

	row_states_add(&sums, r, detector);
	return row_states_of(&sums, &sums, 1);
}

static void expect(const struct row_states *s, double on_cpu, double runnable, double asleep)
{
	assert_false(isnan(s->on_cpu) || isnan(s->runnable) || isnan(s->asleep)); /* equals all */
	assert_float_equal(s->on_cpu, on_cpu, 1e-12);
	assert_float_equal(s->runnable, runnable, 1e-12);
	assert_float_equal(s->asleep, asleep, 1e-12);
}

static void shares_are_those_of_the_time(void **state)
{
	const struct prof_reading r = reading();
	const struct row_states s = states_of(&r, SCP_SWITCH_NONE);

	(void)state;
	expect(&s, 0.55, 0.05, 0.4);
	assert_float_equal(s.kept_ns, 1000, 1e-9); /* 0.9 ms in 900 calls */
}

static void without_a_record_the_detector_decides(void **state)
{
	struct prof_reading r = reading();
	struct row_states s;

	(void)state;
	r.states = (struct prof_reading_states){0};
	s = states_of(&r, SCP_SWITCH_RSEQ);
	expect(&s, 1, 0, 0);
	assert_float_equal(s.kept_ns, 2000, 0);
	assert_true(isnan(states_of(&r, SCP_SWITCH_NONE).on_cpu));
	assert_true(isnan(states_of(&r, SCP_SWITCH_SAMPLED).on_cpu));
}

static void of_a_sample_the_asked_calls_speak(void **state)
{
	struct prof_reading r = reading();
	struct row_states s;

	(void)state;
	/* 50 calls asked for 20 each: 45 kept their CPU, 1 us each */
	r.states = (struct prof_reading_states){.detector = SCP_SWITCH_SAMPLED,
						.calls = 45,
						.units = 45000,
						.weighted = 1000,
						.asleep_ns = 800000};
	s = states_of(&r, SCP_SWITCH_NONE);
	expect(&s, 0.6, 0, 0.4);
	assert_float_equal(s.kept_ns, 1000, 1e-9);
}

static void an_interval_without_a_reading_has_the_runs_ratio(void **state)
{
	const struct prof_reading all = reading();
	struct prof_reading some = all;
	struct row_sums_states run = {0}, window = {0};
	struct row_states s;

	(void)state;
	some.units = 1000000;
	some.calls = 500;
	some.states.calls = 50;
	some.states.units = some.states.known = 550000;
	some.states.weighted = some.states.runnable_ns = some.states.asleep_ns = 0;
	row_states_add(&run, &all, SCP_SWITCH_NONE);
	row_states_add(&window, &some, SCP_SWITCH_NONE);
	s = row_states_of(&window, &run, 1);
	expect(&s, 0.55, 0.05, 0.4);
	s = row_states_of(&window, &window, 1);
	assert_true(isnan(s.on_cpu));
	assert_float_equal(s.kept_ns, 1000, 1e-9);
}

static void shares_are_a_whole_whatever_was_read(void **state)
{
	struct prof_reading r = reading();
	struct row_states s;

	(void)state;
	r.states.asleep_ns = UINT64_MAX;
	s = states_of(&r, SCP_SWITCH_NONE);
	assert_false(isnan(s.on_cpu));
	assert_float_equal(s.on_cpu + s.runnable + s.asleep, 1, 1e-12);
	assert_true(s.on_cpu >= 0 && s.runnable >= 0 && s.asleep <= 1);
}

static void states_are_subtracted_unless_they_go_back(void **state)
{
	struct prof_reading now = reading(), before = now, out;

	(void)state;
	now.calls++;
	now.units += 9000;
	now.states.calls++;
	now.states.units += 9000;
	now.states.asleep_ns += 8000;
	assert_int_equal(live_difference(&now, &before, &out), 0);
	assert_int_equal(out.states.detector, SCP_SWITCH_RSEQ);
	assert_int_equal(out.states.calls, 1);
	assert_int_equal(out.states.asleep_ns, 8000);
	assert_int_equal(out.states.known, 0);
	before.states.weighted++;
	assert_int_equal(live_difference(&now, &before, &out), 0);
	assert_int_equal(out.states.detector, SCP_SWITCH_NONE);
	assert_int_equal(out.calls, 1);
	before = now;
	before.calls--;
	before.units -= 1;
	before.states.detector = SCP_SWITCH_PERF;
	assert_int_equal(live_difference(&now, &before, &out), 0);
	assert_int_equal(out.states.detector, SCP_SWITCH_NONE);
}

/* What follows the entry's record in `path`: states, in a chunk that comes later. */
static void save(const char *path, bool states)
{
	const uint64_t frame = SCP_FRAME(0, 0, 0x10);
	struct scp_build b;
	struct scp_entry *e;

	scp_build_begin_room(&b, 1u << 17);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "main");
	scp_build_path(&b, 1, &frame, 1);
	e = scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED);
	e->calls = 10;
	e->units = e->max_units = 5000;
	e->min_units = 100;
	e->units_sq_lo = 5000 * 5000;
	scp_build_close_chunk(&b);
	if (states) {
		scp_build_open_optional(&b, SCP_OPTIONAL_STATES, 1);
		scp_build_states(&b, 1, SCP_SWITCH_RSEQ, 2, 4000)->off_cpu.asleep_ns = 1234;
		scp_build_close_chunk(&b);
	}
	scp_build_finish(&b);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, b.bytes, b.used, 0), (ssize_t)b.used);
	close(fd);
	scp_build_free(&b);
}

static void a_record_that_comes_later_is_found(void **state)
{
	char path[] = "/tmp/row-states.XXXXXX";
	struct profile *p = profile_new();
	struct prof_reading before, now;
	struct profile_error err;
	struct live l;
	bool grown;

	(void)state;
	close(mkstemp(path));
	save(path, false);
	assert_int_equal(live_open(&l, p, path, -1, &err), 0);
	assert_int_equal(live_read(&l, 0, NULL, &before), 0);
	assert_int_equal(before.states.detector, SCP_SWITCH_NONE);
	save(path, true);
	assert_int_equal(live_look(&l, &grown), 0);
	unlink(path);
	/* the entry's own sums stand still */
	assert_int_equal(live_read(&l, 0, &before, &now), 0);
	assert_int_equal(now.states.detector, SCP_SWITCH_RSEQ);
	assert_int_equal(now.states.calls, 2);
	assert_int_equal(now.states.asleep_ns, 1234);
	live_close(&l);
	profile_free(p);
}

/* In an interval in which no call that lost its CPU was read. */
static void unknown_states_put_no_row_last(void **state)
{
	struct row row[] = {{.time_s = 0.01, .states.on_cpu = 0.5},
			    {.time_s = 0.03, .states.on_cpu = NAN},
			    {.time_s = 0.01, .states.on_cpu = 1},
			    {.time_s = NAN, .states.on_cpu = NAN}};
	struct row_place order[4];
	struct rows r = {.row = row, .rows = 4, .order = order};
	struct profile p = {0};
	struct live_reader f = {.profile = &p};

	(void)state;
	live_rows_sort(&r, &f, ROW_BY_CPU);
	assert_int_equal(order[0].row, 1);
	assert_int_equal(order[1].row, 2);
	assert_int_equal(order[2].row, 0);
	assert_int_equal(order[3].row, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_those_of_the_time),
		cmocka_unit_test(without_a_record_the_detector_decides),
		cmocka_unit_test(of_a_sample_the_asked_calls_speak),
		cmocka_unit_test(an_interval_without_a_reading_has_the_runs_ratio),
		cmocka_unit_test(shares_are_a_whole_whatever_was_read),
		cmocka_unit_test(states_are_subtracted_unless_they_go_back),
		cmocka_unit_test(a_record_that_comes_later_is_found),
		cmocka_unit_test(unknown_states_put_no_row_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
