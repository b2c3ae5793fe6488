// SPDX-License-Identifier: GPL-3.0-or-later
/* A step is a change between two clocks. Gaps of both, slewing, and readings
 * that were interrupted are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collector/clocks/clocks_private.h"

#define PASS  100.0 /* between readings */
#define WIDTH 40.0  /* of the two reference readings round one */

/* `count` readings of a clock that is `ahead` of the reference, from `now` on. */
static double watch(struct step_watch *w, double now, int count, double ahead)
{
	for (int i = 0; i < count; i++, now += PASS)
		clocks_watch_note(w, now + WIDTH / 2 + ahead, now, now + WIDTH);
	return now;
}

static void a_sound_clock_makes_none(void **state)
{
	struct step_watch w;

	(void)state;
	clocks_watch_begin(&w, false, 0);
	watch(&w, 0, 100000, 7e9);
	assert_int_equal(w.readings, 100000);
	assert_int_equal(w.steps, 0);
}

static void a_gap_of_both_clocks_is_none(void **state)
{
	struct step_watch w;
	double now;

	(void)state;
	clocks_watch_begin(&w, false, 0);
	now = watch(&w, 0, 1000, 0);
	/* between two passes, and in the middle of one */
	now = watch(&w, now + 20e6, 1000, 0);
	clocks_watch_note(&w, now + 30e6, now, now + 30e6 + 10);
	clocks_watch_note(&w, now + 31e6, now + 31e6, now + 61e6);
	watch(&w, now + 62e6, 1000, 0);
	assert_int_equal(w.steps, 0);
}

static void a_step_is_found_with_its_size(void **state)
{
	struct step_watch w;
	double now;

	(void)state;
	clocks_watch_begin(&w, false, 0);
	now = watch(&w, 0, 1000, 0);
	now = watch(&w, now, 1000, 500);
	assert_int_equal(w.steps, 1);
	/* at least so much: less what the readings and the slew leave open */
	assert_true(w.largest_ns > 500 - WIDTH - 1 && w.largest_ns <= 500);
	watch(&w, now, 1000, -1500);
	assert_int_equal(w.steps, 2);
	assert_true(w.largest_ns < -2000 + WIDTH + 1 && w.largest_ns >= -2000);
}

static void a_step_hidden_in_an_interruption_is_found_after_it(void **state)
{
	struct step_watch w;
	double now;

	(void)state;
	clocks_watch_begin(&w, false, 0);
	now = watch(&w, 0, 1000, 0);
	/* read before the step, or after it: a millisecond's pair cannot tell */
	clocks_watch_note(&w, now + 10, now, now + 1e6);
	assert_int_equal(w.steps, 0);
	watch(&w, now + 1e6, 10, 5000);
	assert_int_equal(w.steps, 1);
	assert_true(w.largest_ns > 5000 - WIDTH - 1000 && w.largest_ns <= 5000);
	/* this pair alone would allow for the step; those before it do not */
	clocks_watch_begin(&w, false, 0);
	now = watch(&w, 0, 1000, 0);
	clocks_watch_note(&w, now + 1e6 - 10, now, now + 1e6);
	assert_int_equal(w.steps, 0);
	watch(&w, now + 1e6, 10, 5000);
	assert_int_equal(w.steps, 1);
}

static void what_a_daemon_may_slew_is_none(void **state)
{
	struct step_watch w;

	(void)state;
	clocks_watch_begin(&w, false, 0);
	for (double now = 0; now < 1e9; now += 1e4)
		clocks_watch_note(&w, now * (1 + 500e-6) + 20, now, now + 40);
	assert_int_equal(w.steps, 0);
	clocks_watch_begin(&w, false, 0);
	for (double now = 0; now < 1e9; now += 1e6)
		clocks_watch_note(&w, now * 1.01 + 20, now, now + 40);
	assert_true(w.steps > 0);
}

static void rounding_is_none(void **state)
{
	struct step_watch w;

	(void)state;
	clocks_watch_begin(&w, false, 4);
	for (int i = 0; i < 1000; i++)
		clocks_watch_note(&w, i * 10 + (i % 2 ? 3 : -3), i * 10, i * 10);
	assert_int_equal(w.steps, 0);
	clocks_watch_begin(&w, false, 0);
	for (int i = 0; i < 1000; i++)
		clocks_watch_note(&w, i * 10 + (i % 2 ? 3 : -3), i * 10, i * 10);
	assert_true(w.steps > 0);
}

/* CPU time stands still while others run, and never makes up for it. */
static void cpu_time_may_stand_but_not_leap(void **state)
{
	struct step_watch w;
	double now;

	(void)state;
	clocks_watch_begin(&w, true, 0);
	now = watch(&w, 0, 1000, 0);
	now = watch(&w, now + 5e6, 1000, -5e6);
	assert_int_equal(w.steps, 0);
	now = watch(&w, now, 1000, -4e6);
	assert_int_equal(w.steps, 1);
	assert_true(fabs(w.largest_ns - 1e6) < 100);
	clocks_watch_begin(&w, false, 0);
	now = watch(&w, 0, 1000, 0);
	watch(&w, now + 5e6, 1000, -5e6);
	assert_int_equal(w.steps, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_clock_makes_none),
		cmocka_unit_test(a_gap_of_both_clocks_is_none),
		cmocka_unit_test(a_step_is_found_with_its_size),
		cmocka_unit_test(a_step_hidden_in_an_interruption_is_found_after_it),
		cmocka_unit_test(what_a_daemon_may_slew_is_none),
		cmocka_unit_test(rounding_is_none),
		cmocka_unit_test(cpu_time_may_stand_but_not_leap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
