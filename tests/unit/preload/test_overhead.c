// SPDX-License-Identifier: GPL-3.0-or-later
/* The integer statistics by which the library measures its own cost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "preload/overhead/overhead.h"

#define ROUNDS	     16
#define REPLICATIONS 20000

static uint64_t seed = 20240229;

/* Marsaglia's xorshift64; [0, 1). */
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static double normal(void)
{
	double r = sqrt(-2 * log(1 - uniform()));

	return r * cos(2 * M_PI * uniform());
}

static void test_median_is_the_middle(void **state)
{
	int64_t odd[] = {5, -7, 900000, 3, 4}, even[] = {10, 2, 4, 8}, one[] = {-12};

	(void)state;
	assert_int_equal(overhead_stats_median(odd, 5).value, 4);
	assert_int_equal(overhead_stats_median(even, 4).value, 6);
	assert_int_equal(overhead_stats_median(one, 1).value, -12);
}

/* 1.8582 x MAD / sqrt(n), by hand: deviations from 100 are 40, 20, 0, 20, 50. */
static void test_error_comes_from_the_median_deviation(void **state)
{
	int64_t v[] = {60, 80, 100, 120, 150}, equal[] = {7, 7, 7, 7},
		wide[] = {-100000, 0, 100000};

	(void)state;
	assert_int_equal(overhead_stats_median(v, 5).error, (uint64_t)(1.8582 * 20 / sqrt(5)));
	assert_int_equal(overhead_stats_median(equal, 4).error, 1);	       /* never certain */
	assert_in_range(overhead_stats_median(wide, 3).error, 107000, 107600); /* 107283 */
}

/* Normal noise of deviation 1000 and, in one round of eight, an interrupt. */
static void test_errors_are_as_large_as_they_say(void **state)
{
	double squares = 0, claimed = 0, sum = 0;

	(void)state;
	for (int k = 0; k < REPLICATIONS; k++) {
		struct overhead_estimate e;
		int64_t v[ROUNDS];

		for (int i = 0; i < ROUNDS; i++)
			v[i] = llround(50000 + 1000 * normal()) + (uniform() < 0.02 ? 4000000 : 0);
		e = overhead_stats_median(v, ROUNDS);
		sum += (double)e.value - 50000;
		squares += pow((double)e.value - 50000, 2);
		claimed += (double)e.error;
	}
	assert_float_equal(sum / REPLICATIONS, 0, 40);
	/* The median deviation of 16 values falls a little short: 5 %, say. */
	assert_float_equal(claimed / REPLICATIONS / sqrt(squares / REPLICATIONS), 1, 0.1);
}

static void test_units_become_picoseconds(void **state)
{
	(void)state;
	assert_int_equal(overhead_stats_ps(1234, 1, 1), 1234000);
	assert_in_range(overhead_stats_ps(1000000, 100000, 270000), 370370000,
			370370400);						      /* 2.7 GHz */
	assert_in_range(overhead_stats_ps(40, 100000000, 2500000), 1600000, 1600000); /* 25 MHz */
	/* the longest of spans, the largest of counts */
	assert_in_range(overhead_stats_ps(UINT64_C(1) << 28, 2147483647, 2147483647), 268435455999,
			268435456000);
	assert_int_equal(overhead_stats_ps(UINT64_MAX, 1, 1), 268435456000); /* cut: no median */
}

static void test_useless_spans_give_nothing(void **state)
{
	(void)state;
	assert_int_equal(overhead_stats_ps(1000, 0, 500), 0);
	assert_int_equal(overhead_stats_ps(1000, 500, 0), 0);
	assert_int_equal(overhead_stats_ps(1000, UINT64_C(1) << 31, 1000000000), 0);
	assert_int_equal(overhead_stats_ps(UINT64_MAX, 2147483647, 1),
			 0); /* a unit of two seconds */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_is_the_middle),
		cmocka_unit_test(test_error_comes_from_the_median_deviation),
		cmocka_unit_test(test_errors_are_as_large_as_they_say),
		cmocka_unit_test(test_units_become_picoseconds),
		cmocka_unit_test(test_useless_spans_give_nothing),
	};

	return cmocka_run_group_tests_name("overhead in the library", tests, NULL, NULL);
}
