// SPDX-License-Identifier: GPL-3.0-or-later
/* What a slope means for a faster call: algebra, limits, and which side is open. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "stats/causal/slopes.h"

static const struct slopes_value unknown = {NAN, NAN, NAN};

static struct slopes_value value(double v, double error)
{
	return (struct slopes_value){v, error, 200};
}

static struct slopes a_program(void)
{
	return (struct slopes){.unit = value(100e-6, 0), .latency = value(500e-6, 0)};
}

static struct slopes_site a_site(double slope, double error)
{
	return (struct slopes_site){
		.slope = value(slope, error),
		.low = value(slope, error),
		.high = value(slope, error),
		.others_slower = unknown,
		.bend = unknown,
		.latency = value(2 * slope, error),
		.latency_bend = unknown,
		.tested = 2e-6,
		.interacts = SIZE_MAX,
		.known = true,
	};
}

static struct slopes_prediction predict(const struct slopes_site *site, double share)
{
	struct slopes all = a_program();

	return slopes_predict(&all, site, value(30e-6, 0), share, 0.95);
}

static void test_time_less_is_throughput_more(void **state)
{
	struct slopes_site site = a_site(1, 0);
	struct slopes_prediction p = predict(&site, 0.1);

	(void)state;
	assert_near(p.percent, 100 * (100.0 / 97 - 1), 1e-9);
	assert_near(p.low, p.percent, 1e-9);
	assert_near(p.high, p.percent, 1e-9);
	assert_near(p.latency_percent, 100 * 6.0 / 500, 1e-9);
	assert_false(p.at_most || p.at_least);
}

/* A unit that waits long, of which little is known. */
static void test_no_latency_falls_by_more_than_all_of_it(void **state)
{
	struct slopes_site site = a_site(1, 0.01);
	struct slopes_prediction p;

	(void)state;
	site.latency = value(150, 300);
	p = predict(&site, 0.1);
	assert_near(p.latency_percent, 90, 1e-9);
	assert_true(p.latency_high == 100 && p.latency_low < -100);
	site.latency = value(300, 1);
	assert_true(predict(&site, 0.1).latency_percent == 100);
}

/* t of 200 degrees of freedom: 1.972. */
static void test_limits_are_those_of_the_slope(void **state)
{
	struct slopes_site site = a_site(1, 0.1);
	struct slopes_prediction p = predict(&site, 0.1);

	(void)state;
	assert_near(p.low, 100 * (1 / (1 - 0.03 * (1 - 0.1972)) - 1), 1e-3);
	assert_near(p.high, 100 * (1 / (1 - 0.03 * (1 + 0.1972)) - 1), 1e-3);
}

/* 3 % of the call's and 4 % of the unit's time beside: squares add up. */
static void test_the_uncertainty_of_all_three_counts(void **state)
{
	struct slopes all = a_program();
	struct slopes_site site = a_site(0.001, 0);
	struct slopes_prediction p;

	(void)state;
	all.unit.error = 4e-6;
	p = slopes_predict(&all, &site, value(30e-6, 0.9e-6), 1, 0.95);
	assert_near((p.high - p.low) / 2 / p.percent, 0.05 * 1.966, 1e-3);
}

static void test_a_loss_is_not_clamped(void **state)
{
	struct slopes_site site = a_site(-1, 0.1);
	struct slopes_prediction p = predict(&site, 0.1);

	(void)state;
	assert_near(p.percent, 100 * (100.0 / 103 - 1), 1e-9);
	assert_true(p.low < p.percent && p.percent < p.high && p.high < 0);
}

static void test_what_bends_towards_slower_is_an_upper_bound(void **state)
{
	struct slopes_site site = a_site(0.5, 0.05);
	struct slopes_prediction p;

	(void)state;
	site.shape = SLOPES_CONVEX;
	site.low = value(0.2, 0.05);
	p = predict(&site, 0.1);
	assert_true(p.at_most && !p.at_least);
	assert_near(p.percent, 100 * (1 / (1 - 0.006) - 1), 1e-9);
	assert_true(p.low <= 0);
	site.shape = SLOPES_CONCAVE;
	p = predict(&site, 0.1);
	assert_true(!p.at_most && p.at_least);
	site.low = value(0.2, 0.5); /* nothing, perhaps */
	p = predict(&site, 0.1);
	assert_true(p.low < 0 && !p.at_most && !p.at_least);
}

static void test_a_balance_lowers_the_lower_limit(void **state)
{
	struct slopes_site site = a_site(0.5, 0.01);
	struct slopes_prediction p;

	(void)state;
	site.shape = SLOPES_CONDITIONAL;
	site.others_slower = value(0.1, 0.01);
	p = predict(&site, 0.1);
	assert_true(p.at_most && !p.at_least);
	assert_near(p.percent, 100 * (1 / (1 - 0.015) - 1), 1e-9);
	assert_true(p.low < 0.3 && p.low > 0);
	site.others_slower = value(0.9, 0.01);
	p = predict(&site, 0.1);
	assert_true(!p.at_most && p.at_least);
	assert_true(p.high > 2.7);
}

/* A slope of 0.5 that falls by 0.1 a microsecond is 0 from 5 us on: 1.25 us is all it brings. */
static void test_a_bend_ends_where_the_slope_is_nothing(void **state)
{
	struct slopes_site site = a_site(0.5, 0);
	struct slopes_prediction p;

	(void)state;
	site.bend = value(1e5, 0);
	p = predict(&site, 0.1);
	assert_near(p.low, 100 * (1 / (1 - 1.05e-2) - 1), 1e-9);
	assert_near(p.percent, 100 * (1 / (1 - 1.5e-2) - 1), 1e-9);
	p = predict(&site, 0.5);
	assert_near(p.low, 100 * (1 / (1 - 1.25e-2) - 1), 1e-9);
}

/* A unit takes 100 us, the call 30 us of the first thread; the second is busy for 85 us. */
static void test_another_thread_ends_a_prediction(void **state)
{
	struct slopes_site site = a_site(1, 0);
	struct slopes_prediction p;

	(void)state;
	site.threads = 2;
	site.thread[0] = (struct slopes_thread){100e-6, 1};
	site.thread[1] = (struct slopes_thread){85e-6, 0};
	p = predict(&site, 0.1);
	assert_true(p.at_most && p.thread_near);
	assert_near(p.percent, 100 * (100.0 / 97 - 1), 1e-9);
	/* a tenth of the 15 us beyond it, and what is not known of 2 % */
	assert_near(p.low, 100 * (100 / 100.5 - 1), 1e-9);
	assert_near(p.high, p.percent, 1e-9);
	assert_true(isnan(p.latency_percent));
	p = predict(&site, 0.8);
	assert_near(p.percent, 100 * (100.0 / 85 - 1), 1e-9);
	assert_near(p.high, 100 * (100.0 / 85 - 1), 3);
	assert_true(p.at_most && p.low < p.percent && p.percent <= p.high);
}

/* The call's thread makes it once a unit; a fifth of its time shows. */
static void test_what_is_mostly_hidden_brings_at_most_that(void **state)
{
	struct slopes_site site = a_site(0.2, 0.05);
	struct slopes_prediction p;

	(void)state;
	site.q = 0.01;
	assert_false(predict(&site, 0.1).at_most); /* nothing is known of its thread */
	site.threads = 2;
	site.thread[0] = (struct slopes_thread){60e-6, 0};
	site.thread[1] = (struct slopes_thread){50e-6, 1};
	p = predict(&site, 0.1);
	assert_true(p.at_most && p.hidden && !p.thread_near);
	assert_true(p.low <= 0 && p.percent > 0.5);
	site.thread[1].calls = 0.4; /* one of several that share the calls: its part */
	assert_false(predict(&site, 0.1).at_most);
	site.thread[1].calls = 1;
	site.slope.error = site.low.error = 0.2; /* it may be more than half */
	assert_false(predict(&site, 0.1).at_most);
	site.slope = site.low = value(0.2, 0.05);
	site.q = 0.2; /* or nothing at all */
	assert_false(predict(&site, 0.1).at_most);
}

static void test_a_thread_far_below_ends_nothing(void **state)
{
	struct slopes_site site = a_site(1, 0);
	struct slopes_prediction p;

	(void)state;
	site.threads = 2;
	site.thread[0] = (struct slopes_thread){100e-6, 1}; /* its own: as much shorter */
	site.thread[1] = (struct slopes_thread){70e-6, 0};
	p = predict(&site, 0.1);
	assert_false(p.at_most || p.thread_near);
	assert_near(p.low, p.percent, 1e-9);
	assert_near(p.latency_percent, 100 * 6.0 / 500, 1e-9);
	site.thread[1].busy = 99e-6; /* and beside a slope that may be 0 */
	site.slope.error = site.low.error = 1;
	assert_false(predict(&site, 0.1).at_most);
}

/* The only thread, and a slope that noise has made 1.2, or 3. */
static void test_no_call_brings_more_than_its_thread_has(void **state)
{
	struct slopes_site site = a_site(1.2, 0.1);
	struct slopes_prediction p;

	(void)state;
	site.threads = 1;
	site.thread[0] = (struct slopes_thread){100e-6, 1};
	p = predict(&site, 0.1);
	assert_near(p.percent, 100 * (100 / 96.4 - 1), 1e-9);
	assert_true(p.high > p.percent && p.low < p.percent && !p.at_most);
	site.slope = site.low = value(3, 0.1);
	p = predict(&site, 0.1);
	assert_near(p.high, 100 * (100.0 / 95 - 1), 1e-9); /* and what is not known of 2 % */
	assert_true(p.low <= p.percent && p.percent <= p.high);
}

/* Two threads that share all work: each is busy half of the time that the call takes less. */
static void test_threads_that_share_the_site_do_not_overtake(void **state)
{
	struct slopes_site site = a_site(0.5, 0.01);

	(void)state;
	site.threads = 2;
	site.thread[0] = site.thread[1] = (struct slopes_thread){99e-6, 0.5};
	assert_false(predict(&site, 0.3).at_most);
	site.thread[1].calls = 0.1;
	assert_true(predict(&site, 0.3).at_most);
}

static void test_nothing_is_predicted_from_nothing(void **state)
{
	struct slopes_site site = a_site(1, 0.1);
	struct slopes all = a_program();
	struct slopes_prediction p;

	(void)state;
	p = slopes_predict(&all, &site, unknown, 0.1, 0.95);
	assert_true(isnan(p.percent) && isnan(p.low) && isnan(p.high));
	assert_true(isnan(p.latency_percent));
	all.unit = unknown;
	p = slopes_predict(&all, &site, value(30e-6, 0), 0.1, 0.95);
	assert_true(isnan(p.percent) && isnan(p.low) && isnan(p.high));
	site.slope = unknown;
	all = a_program();
	p = slopes_predict(&all, &site, value(30e-6, 0), 0.1, 0.95);
	assert_true(isnan(p.percent) && isnan(p.low));
	site = a_site(5, 0.1);
	p = predict(&site, 1);
	assert_true(isinf(p.percent) && isinf(p.high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_less_is_throughput_more),
		cmocka_unit_test(test_no_latency_falls_by_more_than_all_of_it),
		cmocka_unit_test(test_limits_are_those_of_the_slope),
		cmocka_unit_test(test_the_uncertainty_of_all_three_counts),
		cmocka_unit_test(test_another_thread_ends_a_prediction),
		cmocka_unit_test(test_what_is_mostly_hidden_brings_at_most_that),
		cmocka_unit_test(test_a_thread_far_below_ends_nothing),
		cmocka_unit_test(test_no_call_brings_more_than_its_thread_has),
		cmocka_unit_test(test_threads_that_share_the_site_do_not_overtake),
		cmocka_unit_test(test_a_loss_is_not_clamped),
		cmocka_unit_test(test_what_bends_towards_slower_is_an_upper_bound),
		cmocka_unit_test(test_a_balance_lowers_the_lower_limit),
		cmocka_unit_test(test_a_bend_ends_where_the_slope_is_nothing),
		cmocka_unit_test(test_nothing_is_predicted_from_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
