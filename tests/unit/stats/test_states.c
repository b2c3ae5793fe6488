// SPDX-License-Identifier: GPL-3.0-or-later
/* Means on a CPU, runnable and asleep, of sums that can be checked on paper. tests/bench/coverage
 * --states judges the intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stats/mean/states.h"

#define BATCHES 64
#define EACH	8

/* Calls as the library adds them up. */
struct made {
	struct states_sample s;
	uint64_t sum[BATCHES], state[6][BATCHES];
};

static void begin(struct made *m)
{
	memset(m, 0, sizeof *m);
	m->s.elapsed.sums = (struct stats_sums){.min = UINT64_MAX, .tick = 1, .unit = 1};
	m->s.elapsed.batches = (struct stats_batches){EACH, 0, m->sum};
	m->s.batches = (struct states_batches){m->state[0], m->state[1], m->state[2],
					       m->state[3], m->state[4], m->state[5]};
}

static void add_call(struct made *m, uint64_t units)
{
	struct stats_sums *e = &m->s.elapsed.sums;
	uint64_t slot = e->n++ / EACH;

	e->sum += units;
	e->sum_sq += (stats_u128)units * units;
	e->min = units < e->min ? units : e->min;
	e->max = units > e->max ? units : e->max;
	m->sum[slot] += units;
	m->s.elapsed.batches.count = (uint32_t)(e->n / EACH);
}

/* A switched call that is a segment by itself; weight 0: not read. */
static void add_switched(struct made *m, uint64_t units, uint64_t runnable, uint64_t asleep,
			 uint64_t weight)
{
	uint64_t slot = m->s.elapsed.sums.n / EACH;
	const uint64_t add[6] = {
		1, units, units, weight * units, weight * runnable, weight * asleep};
	double r = (double)add[4], a = (double)add[5];

	m->s.calls++;
	m->s.units += units;
	m->s.units_sq += (stats_u128)units * units;
	m->s.readings += weight > 0;
	m->s.known += (double)units;
	m->s.weighted += (double)add[3];
	m->s.runnable += r;
	m->s.asleep += a;
	m->s.runnable_sq += r * r;
	m->s.asleep_sq += a * a;
	m->s.runnable_asleep += r * a;
	m->s.units_runnable += (double)units * r;
	m->s.units_asleep += (double)units * a;
	for (int i = 0; i < 6; i++)
		m->state[i][slot] += add[i];
	add_call(m, units);
}

static double width(const struct mean_interval *m)
{
	return m->high - m->low;
}

static void none_switched(void **state)
{
	struct mean_interval all;
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (uint64_t i = 0; i < BATCHES * EACH; i++)
		add_call(&m, 100 + i * 7 % 11 + i / 100);
	m.s.batches = (struct states_batches){0};
	all = mean_interval_estimate(&m.s.elapsed, 0.95);
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.on_cpu.low, all.low, 0);
	assert_float_equal(e.on_cpu.high, all.high, 0);
	assert_float_equal(e.unswitched.high, all.high, 0);
	assert_float_equal(e.asleep.mean, 0, 0);
	assert_true(isinf(e.asleep.high) && isinf(e.runnable.high));
}

/* Eight calls of 100, and two of 1100 of which 100 are runnable and 900 asleep. */
static void parts_add_up(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 10; i++)
		if (i % 5 == 4)
			add_switched(&m, 1100, 100, 900, 1);
		else
			add_call(&m, 100);
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.switched, 2, 0);
	assert_float_equal(e.unswitched.mean, 100, 1e-9);
	assert_float_equal(e.runnable.mean, 20, 1e-9);
	assert_float_equal(e.asleep.mean, 180, 1e-9);
	assert_float_equal(e.on_cpu.mean, 100, 1e-9);
	assert_true(e.asleep.low < 180 && e.asleep.high > 180 && isfinite(e.asleep.high));
}

/* Of 200 calls all 20 switched ones are read, of which one ran: elapsed varies by the sleep alone,
 * and what was on the CPU does not vary at all. */
static void sleep_does_not_blur_the_cpu(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (uint64_t i = 0; i < 200; i++)
		if (i % 10 == 3)
			add_switched(&m, 500 + 100 * (i % 7), 0, 400 + 100 * (i % 7), 1);
		else
			add_call(&m, 100);
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.on_cpu.mean, 100, 1e-9);
	assert_true(width(&e.on_cpu) < 0.5);
	assert_true(width(&e.asleep) > 20);
}

/* Two segments of 2000; in the one that was read 1500 were slept. */
static void one_reading_has_the_switched_time_as_limit(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 8; i++)
		add_call(&m, 100);
	add_switched(&m, 2000, 0, 1500, 1);
	add_switched(&m, 2000, 0, 1500, 0);
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.asleep.mean, 300, 1e-9);
	assert_float_equal(e.on_cpu.mean, 480 - 300, 1e-9);
	assert_true(e.asleep.low == 0 && e.asleep.high > 400 && !isinf(e.asleep.high));
	assert_true(e.on_cpu.low > 79 && e.on_cpu.low <= 80);
	m.s.readings = 0;
	m.s.weighted = m.s.asleep = 0;
	m.s.others_runnable = 0;
	m.s.others_asleep = 0.5;
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.asleep.mean, 200, 1e-9);
	m.s.others_runnable = m.s.others_asleep = NAN;
	e = states_estimate_means(&m.s, 0.95);
	assert_true(isnan(e.asleep.mean) && isnan(e.on_cpu.mean));
	assert_float_equal(e.unswitched.mean, 100, 1e-9);
}

/* Of their own mean the kept calls' batches scatter as much as the calls do: the error is that of
 * as many calls. */
static void unswitched_error_is_that_of_its_calls(void **state)
{
	struct stats_sums kept = {.tick = 1, .unit = 1, .min = 90, .max = 110};
	struct states_estimate e;
	uint64_t x = 1;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < BATCHES * EACH; i++) {
		uint64_t units;

		x = x * 6364136223846793005u + 1442695040888963407u;
		units = x >> 63 ? 90 : 110;
		if ((x >> 40 & 3) == 0) {
			add_switched(&m, 5000, 0, 4900, 1);
			continue;
		}
		add_call(&m, units);
		kept.n++;
		kept.sum += units;
	}
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.unswitched.mean, (double)kept.sum / (double)kept.n, 1e-6);
	assert_string_equal(e.unswitched.method, "batch-t");
	assert_float_equal(e.unswitched.error, 10 / sqrt((double)kept.n), 0.1);
}

/* Each segment sleeps for half of its length: which of them are read does not matter. */
static void lengths_make_up_for_what_is_not_read(void **state)
{
	struct states_estimate all = {0}, some = {0};
	struct made m;

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		struct states_estimate *e = pass ? &some : &all;

		begin(&m);
		for (uint64_t i = 0; i < BATCHES * EACH; i++)
			add_switched(&m, 1000 + 20 * (i * 37 % 41), 0, 500 + 10 * (i * 37 % 41),
				     pass ? 4 * (i * 13 % 4 == 0) : 1);
		*e = states_estimate_means(&m.s, 0.95);
	}
	assert_float_equal(some.asleep.mean, all.asleep.mean, 1e-9);
	assert_float_equal(some.asleep.error, all.asleep.error, 0.05 * all.asleep.error);
	assert_float_equal(some.on_cpu.error, all.on_cpu.error, 0.05 * all.on_cpu.error);
}

/* An account of the thread's time made all of a sleep a wait for a CPU: what was read is as likely.
 */
static void limits_hold_what_was_read(void **state)
{
	static struct made m;
	struct states_estimate e;

	(void)state;
	begin(&m);
	for (unsigned i = 0; i < 20 * EACH; i++)
		add_switched(&m, 1000, 900, 0, 1);
	e = states_estimate_means(&m.s, 0.95);
	assert_true(e.runnable.low > 800 && e.asleep.high < 100);
	m.s.moved_runnable = 600.0 * 20 * EACH;
	m.s.moved_asleep = -500.0 * 20 * EACH;
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.runnable.mean, 900, 1e-9);
	assert_float_equal(e.runnable.low, 300, 1e-9);
	assert_float_equal(e.asleep.high, 500, 1e-9);
	assert_float_equal(e.on_cpu.high, 200, 1e-9);
	m.s.moved_asleep = -0x1p62; /* a file may say so */
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.asleep.high, 1000, 1e-9);
}

static void stolen_time_is_on_the_cpu(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 100; i++)
		add_switched(&m, 1000, 100, 800, 1);
	m.s.asleep_stolen = 0.25;
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.asleep.mean, 600, 1e-9);
	assert_float_equal(e.runnable.mean, 100, 1e-9);
	assert_float_equal(e.on_cpu.mean, 300, 1e-9);
}

/* 1 in 10 of 1000 calls was asked: 20 slept for 500, the others took 50. */
static void without_a_detector_asked_calls_stand_for_all(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	m.s.sampled = true;
	m.s.elapsed.sums = (struct stats_sums){1000, 148000, 150 * 148000, 50, 550, 1, 1};
	m.s.calls = 80;
	m.s.units = 80 * 50;
	m.s.units_sq = 80 * 50 * 50;
	m.s.readings = 100;
	m.s.weighted = 1000;
	m.s.switched_weighted = 200;
	m.s.asleep = 20 * 10 * 500;
	m.s.asleep_sq = 20.0 * 5000 * 5000;
	m.s.units_asleep = 20.0 * 550 * 5000;
	m.s.batches = (struct states_batches){0};
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.switched, 200, 1e-9);
	assert_float_equal(e.unswitched.mean, 50, 1e-9);
	assert_float_equal(e.asleep.mean, 100, 1e-9);
	assert_float_equal(e.on_cpu.mean, 48, 1e-9);
	assert_true(e.asleep.low < 80 && e.asleep.high > 120);
}

/* Off the CPU for longer than the switched calls took: by chance of the sample only. */
static void no_call_is_off_the_cpu_for_longer_than_it_takes(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 20; i++)
		add_call(&m, 100);
	for (int i = 0; i < 20; i++)
		add_switched(&m, 1000, 500, 600, 1);
	e = states_estimate_means(&m.s, 0.95);
	assert_float_equal(e.on_cpu.mean, 50, 1e-9);
	assert_float_equal(e.asleep.mean, 500 * 6.0 / 11, 1e-9);
}

/* Seven of fifty were read: from none to all of their time. Eight, or all, have their own limits.
 */
static void fewer_than_eight_of_many_have_all_as_limit(void **state)
{
	static const struct {
		int switched, read;
		bool all;
	} of[] = {{50, 7, true}, {50, 8, false}, {7, 7, false}};

	(void)state;
	for (unsigned k = 0; k < sizeof(of) / sizeof(*of); k++) {
		struct states_estimate e;
		struct made m;

		begin(&m);
		for (int i = 0; i < 400; i++)
			add_call(&m, 100);
		for (int i = 0; i < of[k].switched; i++)
			add_switched(&m, 2000, 0, 1500 + (uint64_t)i % 3, i < of[k].read);
		e = states_estimate_means(&m.s, 0.95);
		assert_true((e.asleep.low == 0) == of[k].all);
		if (of[k].all)
			assert_true(e.asleep.high >= 50 * 2000.0 / 450);
	}
}

static void few_readings_warn(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 500; i++)
		if (i % 100 == 7)
			add_switched(&m, 10000, 0, 9900, 1);
		else
			add_call(&m, 100);
	e = states_estimate_means(&m.s, 0.95);
	assert_true(e.asleep.unreliable & STATS_HEAVY_TAIL);
	assert_int_equal(e.unswitched.unreliable, 0);
	/* exact limits on five events of 500 */
	assert_true(e.asleep.low > 25 && e.asleep.low < 40);
	assert_true(e.asleep.high > 200 && e.asleep.high < 260);
}

/* Calls by batches, and states in none: how calls depend on one another is not known. */
static void missing_batches_warn(void **state)
{
	struct states_estimate e;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < BATCHES * EACH; i++)
		if (i % 2)
			add_switched(&m, 1000, 0, 900, 1);
		else
			add_call(&m, 100);
	assert_false(states_estimate_means(&m.s, 0.95).asleep.unreliable & STATS_FEW_INDEPENDENT);
	m.s.batches = (struct states_batches){0};
	e = states_estimate_means(&m.s, 0.95);
	assert_true(e.asleep.unreliable & STATS_FEW_INDEPENDENT);
	assert_true(e.on_cpu.unreliable & STATS_FEW_INDEPENDENT);
}

/* Linearised sums may be below 0; here they are, and one call is in no batch. */
static void batches_below_nothing(void **state)
{
	uint64_t sum[BATCHES];
	struct stats_sample s = {.sums = {.n = 8 * BATCHES + 1, .tick = 1, .unit = 1, .max = 400},
				 .batches = {8, BATCHES, sum}};
	struct mean_interval m;

	(void)state;
	for (uint32_t i = 0; i < BATCHES; i++)
		sum[i] = i * 7 % 4 ? (uint64_t)-400 : 3600;
	s.sums.sum = 16 * 3600 - 48 * 400 + 75;
	s.sums.sum_sq = 1000 * s.sums.sum;
	m = mean_interval_estimate(&s, 0.95);
	assert_true(m.error < 200);
	assert_false(m.unreliable & STATS_FEW_INDEPENDENT);
}

/* Sums that contradict each other come from damaged profiles. */
static void damaged_sums_give_some_number(void **state)
{
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < BATCHES * EACH; i++)
		add_switched(&m, 1000, 0, 900, 1);
	for (int i = 0; i < 6 * BATCHES; i++)
		m.state[i % 6][i / 6] = UINT64_MAX - (uint64_t)i;
	m.s.asleep_sq = m.s.units_asleep = 1e70;
	m.s.runnable = 1e19;
	m.s.known = 1e19;
	states_estimate_means(&m.s, 0.95);
	m.s.elapsed.sums.sum_sq = 0;
	m.s.elapsed.sums.sum = UINT64_MAX;
	m.s.weighted = 1;
	states_estimate_means(&m.s, 0.95);
	m.s.elapsed.sums.n = UINT64_MAX;
	states_estimate_means(&m.s, 0.95);
}

/* Batches with none to three of eight calls switched. */
static void batches_without_switched_calls_are_alike(void **state)
{
	uint64_t sum[BATCHES];
	uint32_t count;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 16 * EACH; i++) {
		if (i % EACH < i / EACH % 4)
			add_switched(&m, 5000, 4900, 0, 1);
		else
			add_call(&m, 100);
	}
	assert_int_equal(states_estimate_batches(&m.s, sum, &count), 6); /* of 6.5 */
	assert_int_equal(count, 16);
	for (int i = 0; i < 16; i++)
		assert_int_equal(sum[i], 600);
	m.s.batches = (struct states_batches){0};
	assert_int_equal(states_estimate_batches(&m.s, sum, &count), 0);
}

static void batches_of_calls_never_switched_are_as_they_were(void **state)
{
	uint64_t sum[BATCHES];
	uint32_t count;
	struct made m;

	(void)state;
	begin(&m);
	for (int i = 0; i < 16 * EACH; i++)
		add_call(&m, 100 + (uint64_t)(i / EACH));
	m.s.batches = (struct states_batches){0};
	assert_int_equal(states_estimate_batches(&m.s, sum, &count), EACH);
	assert_int_equal(count, 16);
	assert_memory_equal(sum, m.sum, 16 * sizeof(sum[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_switched),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(sleep_does_not_blur_the_cpu),
		cmocka_unit_test(one_reading_has_the_switched_time_as_limit),
		cmocka_unit_test(unswitched_error_is_that_of_its_calls),
		cmocka_unit_test(lengths_make_up_for_what_is_not_read),
		cmocka_unit_test(limits_hold_what_was_read),
		cmocka_unit_test(stolen_time_is_on_the_cpu),
		cmocka_unit_test(without_a_detector_asked_calls_stand_for_all),
		cmocka_unit_test(no_call_is_off_the_cpu_for_longer_than_it_takes),
		cmocka_unit_test(fewer_than_eight_of_many_have_all_as_limit),
		cmocka_unit_test(few_readings_warn),
		cmocka_unit_test(missing_batches_warn),
		cmocka_unit_test(batches_below_nothing),
		cmocka_unit_test(damaged_sums_give_some_number),
		cmocka_unit_test(batches_without_switched_calls_are_alike),
		cmocka_unit_test(batches_of_calls_never_switched_are_as_they_were),
	};

	return cmocka_run_group_tests_name("where the time of calls went", tests, NULL, NULL);
}
