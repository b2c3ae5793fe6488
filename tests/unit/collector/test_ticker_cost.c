// SPDX-License-Identifier: GPL-3.0-or-later
/* What a tick costs, and which tick that allows. How long anything takes is not tested. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "collector/clocks/ticker.h"

static void test_median_of_the_gaps_with_a_tick(void **state)
{
	static const struct ticker_cost_gap gap[] = {{50, 60},	 {100, 120}, {200, 230},
						     {260, 261}, {300, 340}, {400, 9400}};
	static const uint64_t at[] = {110, 230, 320, 500, 20000};

	(void)state;
	assert_int_equal(ticker_cost_median(gap, 6, at, 5, 1000), 30);
	assert_int_equal(ticker_cost_median(gap, 6, at, 5, 10000), 40);
	assert_int_equal(ticker_cost_median(gap, 6, at, 5, 35), 30);
	assert_int_equal(ticker_cost_median(gap, 6, at, 5, 10), 0);
	assert_int_equal(ticker_cost_median(gap, 0, at, 5, 1000), 0);
}

static void test_ticks_that_hit_fall_into_cpu_time_and_are_switches(void **state)
{
	(void)state;
	assert_int_equal(ticker_cost_hits(4000, 10000, 300, 50000), 120);
	assert_int_equal(ticker_cost_hits(4000, 10000, 300, 7), 7);
	assert_int_equal(ticker_cost_hits(4000, 10000, 20000, 50000), 4000);
	assert_int_equal(ticker_cost_hits(0, 0, 0, 0), 0);
}

static void test_least_tick_takes_one_percent(void **state)
{
	static const struct {
		uint64_t taken_ns, tick_ns;
	} known[] = {{0, 0},
		     {1, 100},
		     {1500, 150000},
		     {1501, 160000},
		     {19710, 2000000},
		     {990001, 100000000},
		     {5000000, TICKER_MAX_NS}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct ticker_cost c = {.taken_ns = known[i].taken_ns};

		assert_int_equal(ticker_cost_least_tick(&c), known[i].tick_ns);
	}
}

/* How much is the machine's affair. */
static void test_a_tick_costs_something(void **state)
{
	struct ticker_cost c;

	(void)state;
	ticker_cost_measure(&c);
	assert_true(c.cpu_ns > 0);
	assert_true(c.taken_ns > 0);
	assert_true(ticker_cost_least_tick(&c) >= c.taken_ns);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_of_the_gaps_with_a_tick),
		cmocka_unit_test(test_ticks_that_hit_fall_into_cpu_time_and_are_switches),
		cmocka_unit_test(test_least_tick_takes_one_percent),
		cmocka_unit_test(test_a_tick_costs_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
