// SPDX-License-Identifier: GPL-3.0-or-later
/* Differences of two readings: exact, never negative, and refused where the second is not
 * later than the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/simulate.h"
#include "profile/live/live.h"

static void add(struct prof_reading *r, uint64_t units, uint64_t bytes, uint64_t inner)
{
	if (!r->calls || units < r->min_units)
		r->min_units = units;
	if (units > r->max_units)
		r->max_units = units;
	r->calls++;
	r->units += units;
	r->units_sq += (prof_u128)units * units;
	r->bytes += bytes;
	r->inner_calls += inner;
	r->has_bytes = true;
}

/* 64-bit sums of squares would have wrapped around by then. */
static void subtracts_exactly(void **state)
{
	struct simulate dice = {1};
	struct prof_reading all = {0}, before, window = {0}, out;

	(void)state;
	for (int i = 0; i < 5000; i++)
		add(&all, simulate_bits(&dice) >> 20, simulate_bits(&dice) >> 50, i % 3 == 0);
	before = all;
	for (int i = 0; i < 700; i++) {
		uint64_t units = simulate_bits(&dice) >> 20, bytes = simulate_bits(&dice) >> 50;

		add(&all, units, bytes, i % 5 == 0);
		add(&window, units, bytes, i % 5 == 0);
	}
	assert_int_equal(live_difference(&all, &before, &out), 0);
	assert_int_equal(out.calls, 700);
	assert_true(out.units == window.units && out.units_sq == window.units_sq);
	assert_true(out.units_sq >> 64 != 0);
	assert_int_equal(out.bytes, window.bytes);
	assert_int_equal(out.inner_calls, window.inner_calls);
	assert_true(out.min_units <= window.min_units && out.max_units >= window.max_units);
	assert_true(out.has_bytes);
}

static void nothing_happened(void **state)
{
	struct prof_reading r = {0}, out;

	(void)state;
	add(&r, 5, 1, 0);
	assert_int_equal(live_difference(&r, &r, &out), 0);
	assert_int_equal(out.calls, 0);
	assert_int_equal(out.units, 0);
}

/* A file that was replaced, or written to by somebody else. */
static void refuses_to_go_back(void **state)
{
	struct prof_reading now = {0}, out;

	(void)state;
	for (int i = 0; i < 10; i++)
		add(&now, 100, 10, 1);
	struct prof_reading later[6] = {now, now, now, now, now, now};

	later[0].calls++;
	later[1].units++;
	later[2].units_sq++;
	later[3].bytes++;
	later[4].inner_calls++;
	later[5].units--; /* no call more, but time */
	for (int i = 0; i < 6; i++) {
		memset(&out, 0xff, sizeof(out));
		assert_int_equal(live_difference(&now, &later[i], &out), -1);
		assert_int_equal(out.calls, 0);
		assert_int_equal(out.units, 0);
		assert_int_equal(out.bytes, 0);
	}
}

static void batches_of_the_window(void **state)
{
	(void)state;
	assert_int_equal(live_first_batch(8, 5, 0), 0);
	assert_int_equal(live_first_batch(8, 5, 1), 1); /* the first has an earlier call */
	assert_int_equal(live_first_batch(8, 5, 8), 1);
	assert_int_equal(live_first_batch(8, 5, 9), 2);
	assert_int_equal(live_first_batch(8, 5, 32), 4);
	assert_int_equal(live_first_batch(8, 5, 33), 5);
	assert_int_equal(live_first_batch(8, 5, UINT64_MAX), 5);
	assert_int_equal(live_first_batch(0, 0, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subtracts_exactly),
		cmocka_unit_test(nothing_happened),
		cmocka_unit_test(refuses_to_go_back),
		cmocka_unit_test(batches_of_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
