// SPDX-License-Identifier: GPL-3.0-or-later
/* Draws of a dither: one window a block, at places that nobody foresees, and never more than was
 * asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/displacement/sites/site_dither.h"
#include "tests/unit/support/near.h"

#define BLOCKS 2000

static void test_no_block_takes_more_than_the_share(void **state)
{
	static const double shares[] = {DITHER_PLAN_LEAST, 0.01, 0.05, 0.07, 0.2, DITHER_PLAN_MOST};
	struct dither_plan p;

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		dither_plan_begin(&p, shares[i], 1 + i);
		assert_true(p.block >= 2 && p.depth > 0.16 && p.depth <= 0.5 + 1e-9);
		for (unsigned block = 0; block < BLOCKS; block++) {
			unsigned delayed = 0;

			for (unsigned k = 0; k < p.block; k++)
				delayed += dither_plan_next(&p);
			assert_int_equal(delayed, 1);
		}
		assert_near(p.depth / p.block, shares[i], 1e-9);
	}
}

static void test_each_place_in_a_block_is_drawn_alike(void **state)
{
	unsigned at[5] = {0};
	struct dither_plan p;

	(void)state;
	dither_plan_begin(&p, 0.05, 7);
	assert_int_equal(p.block, 5);
	for (unsigned block = 0; block < BLOCKS; block++)
		for (unsigned k = 0; k < 5; k++)
			at[k] += dither_plan_next(&p);
	/* 400 each; six standard deviations */
	for (unsigned k = 0; k < 5; k++)
		assert_in_range(at[k], 292, 508);
}

static void test_sites_take_turns_and_rare_ones_none(void **state)
{
	const double rate[4] = {1000, DITHER_PLAN_RATE / 2, NAN, 500};
	const double none[2] = {0, NAN};
	unsigned drawn[4] = {0};
	struct dither_plan p;

	(void)state;
	dither_plan_begin(&p, 0.05, 9);
	for (unsigned i = 0; i < 100; i++) {
		size_t k = dither_plan_site(&p, rate, drawn, 4);

		assert_true(k == 0 || k == 3);
		drawn[k]++;
	}
	assert_int_equal(drawn[0], 50);
	assert_int_equal(drawn[3], 50);
	assert_int_equal(dither_plan_site(&p, none, drawn, 2), 2);
}

/* A thread that is held up at each call is so for a share of the window, and then no more. */
static void test_delays_fill_the_limit(void **state)
{
	struct dither_plan p;
	double delay, limit;

	(void)state;
	dither_plan_begin(&p, DITHER_PLAN_MOST, 3);
	delay = dither_plan_delay(&p);
	limit = dither_plan_limit(&p);
	assert_near(limit, p.depth * DITHER_PLAN_WINDOW_S, 1e-12);
	assert_true(DITHER_PLAN_PIECES * delay < limit);
	assert_true((DITHER_PLAN_PIECES + 1) * delay > limit);
	/* the library makes no delay of 10 ms or more */
	assert_true(delay < 0.009);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_block_takes_more_than_the_share),
		cmocka_unit_test(test_each_place_in_a_block_is_drawn_alike),
		cmocka_unit_test(test_sites_take_turns_and_rare_ones_none),
		cmocka_unit_test(test_delays_fill_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
