// SPDX-License-Identifier: GPL-3.0-or-later
/* Means and their intervals, against published tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stats/numerics/distributions.h"
#include "stats/planning/plan.h"
#include "stats/mean/mean_interval.h"
#include "stats/stats.h"

/* Beilner 1988, Table 17a (sums over 100 000 cycles) and 17b (S_DMT for 10 000
 * cycles of a 1000 us clock). */
static void test_10a_gives_table_17b(void **state)
{
	static const struct {
		double ticks, deviation;
	} row[] = {{568602, 4.64}, {119268, 3.94}, {8288, 2.76},   {18438, 3.88}, {120041, 4.00},
		   {8688, 2.82},   {14358, 3.51},  {118975, 3.92}, {8750, 2.83},  {17993, 3.84},
		   {96112, 1.93},  {8483, 2.79},   {29208, 4.55}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		double mean = 1000 * row[i].ticks / 100000;

		assert_float_equal(plan_beilner_deviation(mean, 1000, 10000), row[i].deviation,
				   0.00501);
	}
}

static void test_10b_bounds_10a(void **state)
{
	(void)state;
	assert_float_equal(plan_beilner_bound(1000, 10000), 5, 1e-12);
	for (double mean = 0; mean < 3000; mean += 7)
		assert_true(plan_beilner_deviation(mean, 1000, 10000) <=
			    plan_beilner_bound(1000, 10000) + 1e-12);
	assert_float_equal(plan_beilner_deviation(1500, 1000, 10000), 5, 1e-12);
}

static struct stats_sums counts(uint64_t n, uint64_t ones, uint64_t tick)
{
	return (struct stats_sums){.n = n,
				   .sum = ones * tick,
				   .sum_sq = (stats_u128)ones * tick * tick,
				   .min = ones == n ? tick : 0,
				   .max = ones ? tick : 0,
				   .tick = tick,
				   .unit = 1};
}

/* Sums alone, no batches. */
static struct mean_interval estimate(const struct stats_sums *s, double confidence)
{
	struct stats_sample sample = {.sums = *s};

	return mean_interval_estimate(&sample, confidence);
}

/* Without batches the sample variance of two counts is that of (10a). */
static void test_two_counts_agree_with_10a(void **state)
{
	/* (2,3) of Table 17: 820 ticks in 10 000 cycles */
	struct stats_sums s = counts(10000, 820, 1000);
	struct mean_interval i = estimate(&s, 0.95);
	double half = 1.9602 * 1000 * sqrt(0.082 * 0.918 / 9999);

	(void)state;
	assert_string_equal(i.method, "t");
	assert_float_equal(i.error, plan_beilner_deviation(82, 1000, 10000), 2e-4);
	assert_float_equal(i.mean, 82, 1e-9);
	assert_float_equal(i.low, 82 - half, 1e-4);
	assert_float_equal(i.high, 82 + half, 1e-4);
}

static void test_few_ticks_use_clopper_pearson(void **state)
{
	struct stats_sums s = counts(20, 3, 1);
	struct mean_interval i = estimate(&s, 0.95);

	(void)state;
	assert_string_equal(i.method, "clopper-pearson");
	assert_float_equal(i.mean, 0.15, 1e-12);
	assert_float_equal(i.low, 0.03207, 1e-5);
	assert_float_equal(i.high, 0.37893, 1e-5);
}

/* P(X <= x) for a binomial of n and p, by its definition. */
static double at_most(int x, double n, double p)
{
	double sum = 0;

	for (int k = 0; k <= x; k++)
		sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
			   (n - k) * log1p(-p));
	return sum;
}

/* Counts of real programs, on which GSL's inverse ends the process. */
static void test_few_ticks_of_any_number_of_calls_have_exact_limits(void **state)
{
	static const uint64_t calls[] = {100, 3750, 60000, 296459, 1000000, 100000000};

	(void)state;
	for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
		for (int ones = 1; ones < 10; ones++) {
			struct stats_sums s = counts(calls[c], (uint64_t)ones, 1);
			struct mean_interval i = estimate(&s, 0.95);

			assert_string_equal(i.method, "clopper-pearson");
			assert_float_equal(at_most(ones, (double)calls[c], i.high), 0.025, 1e-5);
			assert_float_equal(at_most(ones - 1, (double)calls[c], i.low), 0.975, 1e-5);
			s = counts(calls[c], calls[c] - (uint64_t)ones, 1);
			i = estimate(&s, 0.95);
			assert_float_equal(at_most(ones, (double)calls[c], 1 - i.low), 0.025, 1e-5);
		}
}

/* Zero ticks prove that the mean is small, not that it is zero. */
static void test_no_tick_at_all_has_an_upper_limit(void **state)
{
	struct stats_sums s = counts(10, 0, 4000);
	struct mean_interval i = estimate(&s, 0.95);

	(void)state;
	assert_float_equal(i.mean, 0, 0);
	assert_float_equal(i.low, 0, 0);
	assert_float_equal(i.high, 4000 * (1 - pow(0.025, 0.1)), 1e-6);
}

static void test_all_calls_alike_is_uncertain_to_both_sides(void **state)
{
	struct stats_sums s = counts(10, 10, 4000);
	struct mean_interval i = estimate(&s, 0.95);
	double u = 1 - pow(0.025, 0.1);

	(void)state;
	assert_float_equal(i.low, 4000 * (1 - u), 1e-6);
	assert_float_equal(i.high, 4000 * (1 + u), 1e-6);
}

static void test_fast_clock_uses_t(void **state)
{
	/* 100 110 120 130 140 units of 0.5 ns */
	struct stats_sums s = {.n = 5,
			       .sum = 600,
			       .sum_sq = 73000,
			       .min = 100,
			       .max = 140,
			       .tick = 1,
			       .unit = 0.5};
	struct mean_interval i = estimate(&s, 0.95);
	double half = 2.776445 * sqrt(250.0 / 5) * 0.5;

	(void)state;
	assert_string_equal(i.method, "t");
	assert_float_equal(i.mean, 60, 1e-9);
	assert_float_equal(i.low, 60 - half, 1e-4);
	assert_float_equal(i.high, 60 + half, 1e-4);
}

static void test_equal_fast_calls_keep_the_width_of_the_tick(void **state)
{
	struct stats_sums s = {.n = 100,
			       .sum = 10000,
			       .sum_sq = 1000000,
			       .min = 100,
			       .max = 100,
			       .tick = 1,
			       .unit = 1};
	struct mean_interval i = estimate(&s, 0.95);

	(void)state;
	assert_float_equal(i.high - i.low, 2 * 1.98422 * 0.5 / 10, 1e-4);
}

static void test_wide_slow_counts_use_t(void **state)
{
	/* 0 1 2 5 ticks of 10 */
	struct stats_sums s = {
		.n = 4, .sum = 80, .sum_sq = 3000, .min = 0, .max = 50, .tick = 10, .unit = 1};
	struct mean_interval i = estimate(&s, 0.95);

	(void)state;
	assert_string_equal(i.method, "t");
	assert_float_equal(i.mean, 20, 1e-12);
	assert_float_equal(i.low, 0, 0);
	assert_float_equal(i.high, 20 + 3.182446 * sqrt(1400.0 / 3 / 4), 1e-4);
}

static void test_no_call_and_one_call(void **state)
{
	struct stats_sums none = {.tick = 1, .unit = 1};
	struct stats_sums one = {
		.n = 1, .sum = 500, .sum_sq = 250000, .min = 500, .max = 500, .tick = 1, .unit = 1};
	struct mean_interval i = estimate(&none, 0.95);

	(void)state;
	assert_true(isnan(i.mean) && isnan(i.low) && isnan(i.high));
	i = estimate(&one, 0.95);
	assert_float_equal(i.mean, 500, 0);
	assert_float_equal(i.low, 0, 0);
	assert_true(isinf(i.high));
	assert_string_equal(i.method, "none");
}

static void test_at_least_is_the_binomial_tail(void **state)
{
	(void)state;
	assert_float_equal(distributions_binomial_at_least(0, 5, 0.05), 1, 0);
	assert_float_equal(distributions_binomial_at_least(1, 2, 0.05), 0.0975, 1e-12);
	assert_float_equal(distributions_binomial_at_least(2, 2, 0.05), 0.0025, 1e-12);
	assert_float_equal(distributions_binomial_at_least(10, 10, 0.5), pow(0.5, 10), 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_10a_gives_table_17b),
		cmocka_unit_test(test_10b_bounds_10a),
		cmocka_unit_test(test_two_counts_agree_with_10a),
		cmocka_unit_test(test_few_ticks_use_clopper_pearson),
		cmocka_unit_test(test_few_ticks_of_any_number_of_calls_have_exact_limits),
		cmocka_unit_test(test_no_tick_at_all_has_an_upper_limit),
		cmocka_unit_test(test_all_calls_alike_is_uncertain_to_both_sides),
		cmocka_unit_test(test_fast_clock_uses_t),
		cmocka_unit_test(test_equal_fast_calls_keep_the_width_of_the_tick),
		cmocka_unit_test(test_wide_slow_counts_use_t),
		cmocka_unit_test(test_no_call_and_one_call),
		cmocka_unit_test(test_at_least_is_the_binomial_tail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
