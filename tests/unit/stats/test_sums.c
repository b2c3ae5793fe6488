// SPDX-License-Identifier: GPL-3.0-or-later
/* Variance, straight line and histogram quantiles from integer sums. */
#include <math.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stats/numerics/moments.h"
#include "stats/regression/line.h"
#include "stats/histogram/histogram.h"
#include "stats/stats.h"

/* Sample variance, by the exact sum of squares. */
static double variance(const struct stats_sums *s)
{
	return fmax(0, moments_square(s->n, s->sum, s->sum_sq)) / (double)(s->n - 1) * s->unit *
	       s->unit;
}

/* A million calls around 10^12 units, half one less, half one more: variance
 * 1 beside squares of 10^30. Doubles would give 0 or a few millions. */
static void test_variance_survives_a_huge_mean(void **state)
{
	const uint64_t base = 1000000000000u, n = 1000000;
	struct stats_sums s = {.n = n, .sum = n * base, .tick = 1, .unit = 1};

	(void)state;
	s.sum_sq = (stats_u128)(n / 2) * (base - 1) * (base - 1) +
		   (stats_u128)(n / 2) * (base + 1) * (base + 1);
	assert_float_equal(variance(&s), (double)n / (double)(n - 1), 1e-12);
}

static void test_variance_is_exact_for_small_numbers(void **state)
{
	struct stats_sums s = {.n = 3, .sum = 7, .sum_sq = 1 + 4 + 16, .tick = 1, .unit = 2};

	(void)state; /* 1 2 4: 7/3 */
	assert_float_equal(variance(&s), 4 * 7.0 / 3, 1e-12);
}

static void test_variance_of_impossible_sums_is_zero(void **state)
{
	struct stats_sums s = {.n = 2, .sum = UINT64_MAX, .sum_sq = 3, .tick = 1, .unit = 1};

	(void)state;
	assert_float_equal(variance(&s), 0, 0);
}

static int fit_line(uint64_t n, uint64_t sx, stats_u128 sxx, uint64_t sy, stats_u128 sxy,
		    double *intercept, double *slope)
{
	const struct stats_line_block all = {n, sx, sy, sxx, sxy};
	struct stats_line_fit fit = {0};
	int failed = line_fit_blocks(&all, 1, &fit, 0.95);

	*intercept = fit.call.value;
	*slope = fit.byte.value;
	return failed;
}

/* y = 300 + 2 x at large sizes */
static void test_line_is_recovered(void **state)
{
	uint64_t n = 0, sx = 0, sy = 0;
	stats_u128 sxx = 0, sxy = 0;
	double intercept, slope;

	(void)state;
	for (uint64_t x = 4000000000u; x < 4000001000u; x += 10) {
		uint64_t y = 300 + 2 * x;

		n++;
		sx += x;
		sy += y;
		sxx += (stats_u128)x * x;
		sxy += (stats_u128)x * y;
	}
	assert_int_equal(fit_line(n, sx, sxx, sy, sxy, &intercept, &slope), 0);
	assert_float_equal(slope, 2, 1e-12);
	assert_float_equal(intercept, 300, 1e-3);
}

static void test_falling_line_has_a_negative_slope(void **state)
{
	double intercept, slope;

	(void)state; /* (0, 10) (1, 7) (2, 4) */
	assert_int_equal(fit_line(3, 3, 5, 21, 15, &intercept, &slope), 0);
	assert_float_equal(slope, -3, 1e-12);
	assert_float_equal(intercept, 10, 1e-12);
}

static void test_line_needs_sizes_that_vary(void **state)
{
	double intercept, slope;

	(void)state;
	assert_int_equal(fit_line(5, 50, 500, 100, 1000, &intercept, &slope), -1);
	assert_int_equal(fit_line(1, 5, 25, 1, 5, &intercept, &slope), -1);
	assert_int_equal(fit_line(0, 0, 0, 0, 0, &intercept, &slope), -1);
}

/* (1, 1) (2, 3) (3, 2) (4, 4): slope 0.8, 1.8 left over two degrees of freedom,
 * standard error sqrt(0.9 / 5), t 4.302653. */
static void test_slope_has_an_interval(void **state)
{
	(void)state;
	assert_float_equal(line_half_width(4, 10, 30, 10, 30, 0.8, 0.95), 4.302653 * sqrt(0.9 / 5),
			   1e-6);
	assert_true(isinf(line_half_width(2, 3, 5, 3, 5, 1, 0.95)));
	assert_true(isinf(line_half_width(4, 8, 16, 10, 30, 0, 0.95)));
}

static uint32_t bucket_of(uint64_t v)
{
	int e;

	if (v < 8)
		return (uint32_t)v;
	e = 63 - __builtin_clzll(v);
	return (uint32_t)((e - 2) * 8) + (uint32_t)((v >> (e - 3)) & 7);
}

static void test_quantiles_of_a_uniform_distribution(void **state)
{
	uint64_t count[512] = {0};

	(void)state;
	for (uint64_t v = 0; v < 100000; v++)
		count[bucket_of(v)]++;
	for (double q = 0.05; q < 1; q += 0.05)
		assert_float_equal(histogram_quantile(count, 512, q), q * 100000, 200);
}

static void test_quantile_stays_in_the_bucket_of_its_value(void **state)
{
	static const uint64_t value[] = {0, 7, 8, 9, 15, 16, 1000, 123456789, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
		uint64_t count[512] = {0};
		double low, high;

		count[bucket_of(value[i])] = 3;
		low = histogram_quantile(count, 512, 0);
		high = histogram_quantile(count, 512, 1);
		assert_true(low <= (double)value[i] && (double)value[i] <= high);
		assert_true(high - low <= 1 + (double)value[i] / 8);
	}
}

static void test_quantile_of_nothing_is_nan(void **state)
{
	uint64_t count[512] = {0};

	(void)state;
	assert_true(isnan(histogram_quantile(count, 512, 0.5)));
}

/* Buckets are an eighth wide: of 10 ms far out among 10.01 ms they would leave open more than all
 * others take. The sum is exact, and of 10 us a sixteenth is little. */
static void test_time_far_out_is_what_the_others_leave(void **state)
{
	uint64_t count[512] = {0};
	struct outliers o;

	(void)state;
	count[bucket_of(10)] = 1000;
	count[bucket_of(100000)] = 100;
	o = outliers_find(count, 512, 1000 * 10 + 100 * 100000, 100000);
	assert_true(o.calls == 100);
	assert_float_equal(o.units, 10000000, 1000 * 10 / 16.0);
	assert_float_equal(o.share_units, 10000000 / 10010000.0, 1e-4);
}

/* One call is known to the unit, however few others there are. */
static void test_time_of_one_call_far_out_is_known(void **state)
{
	uint64_t count[512] = {0};
	struct outliers o;

	(void)state;
	count[bucket_of(1000)] = 100;
	count[bucket_of(777777)] = 1;
	o = outliers_find(count, 512, 100 * 1000 + 777777, 777777);
	assert_true(o.calls == 1);
	assert_true(o.units == 777777);
}

/* Eight an octave, up to the last of 64 bits; and the last that has calls is found wherever it is.
 */
static void test_buckets_begin_and_end_where_they_are_said_to(void **state)
{
	(void)state;
	assert_int_equal(histogram_used((const uint64_t[512]){0}, 512), 0);
	for (uint32_t i = 0; i < 512; i++) {
		uint64_t count[512] = {0};
		double start = i < 8 ? i : ldexp(8 + i % 8, (int)(i / 8) - 1);

		count[i] = 1;
		assert_true(histogram_start(i) == start);
		if (start < 0x1p64)
			assert_int_equal(histogram_bucket((uint64_t)start), i);
		assert_int_equal(histogram_used(count, 512), i + 1);
		assert_int_equal(histogram_used(count, i), 0);
	}
}

/* Ten values, 95 %: the median lies between the 2nd and the 9th (P = 0.979; David and Nagaraja
 * 2003, section 7.1); of the 99th percentile there is no upper limit. */
static void test_limits_of_a_percentile_are_order_statistics(void **state)
{
	uint64_t count[512] = {0};
	struct stats_hist_limits limits;

	(void)state;
	for (uint64_t v = 1; v <= 10; v++)
		count[bucket_of(v << 20)]++;
	limits = tail_order_limits(count, 512, 0.5, 1, 0.95);
	assert_true(limits.low == 2 << 20);
	assert_true(limits.high == histogram_start(bucket_of(9 << 20) + 1));
	limits = tail_order_limits(count, 512, 0.99, 1, 0.95);
	assert_true(isinf(limits.high));
}

/* From 2^53 calls on not every rank is a double. */
static void test_limits_of_more_calls_than_can_be_counted_come_to_an_end(void **state)
{
	uint64_t count[512] = {0};
	struct stats_hist_limits limits;

	(void)state;
	count[bucket_of(1000)] = UINT64_C(1) << 53;
	count[bucket_of(9000)] = UINT64_C(1) << 54;
	alarm(900);
	limits = tail_order_limits(count, 512, 0.5, 1, 0.95);
	assert_true(limits.low <= 9000 && limits.high >= 9000);
	count[bucket_of(9000)] = UINT64_MAX;
	limits = tail_order_limits(count, 512, 0.99, 1, 0.95);
	assert_true(limits.low <= 9000 && limits.high >= 9000);
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variance_survives_a_huge_mean),
		cmocka_unit_test(test_variance_is_exact_for_small_numbers),
		cmocka_unit_test(test_variance_of_impossible_sums_is_zero),
		cmocka_unit_test(test_line_is_recovered),
		cmocka_unit_test(test_falling_line_has_a_negative_slope),
		cmocka_unit_test(test_line_needs_sizes_that_vary),
		cmocka_unit_test(test_slope_has_an_interval),
		cmocka_unit_test(test_quantiles_of_a_uniform_distribution),
		cmocka_unit_test(test_quantile_stays_in_the_bucket_of_its_value),
		cmocka_unit_test(test_quantile_of_nothing_is_nan),
		cmocka_unit_test(test_time_far_out_is_what_the_others_leave),
		cmocka_unit_test(test_time_of_one_call_far_out_is_known),
		cmocka_unit_test(test_buckets_begin_and_end_where_they_are_said_to),
		cmocka_unit_test(test_limits_of_a_percentile_are_order_statistics),
		cmocka_unit_test(test_limits_of_more_calls_than_can_be_counted_come_to_an_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
