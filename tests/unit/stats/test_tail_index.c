// SPDX-License-Identifier: GPL-3.0-or-later
/* Hill's estimator on histograms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stats/histogram/histogram.h"
#include "stats/histogram/tail.h"
#include "tests/unit/support/near.h"

static uint64_t count[STATS_HIST_BUCKETS];

/* Quantiles of a Pareto distribution, evenly spread: shortest call `least`. */
static void pareto(double alpha, double least, int n)
{
	memset(count, 0, sizeof count);
	for (int i = 0; i < n; i++)
		count[histogram_bucket((uint64_t)(least * pow((i + 0.5) / n, -1 / alpha)))]++;
}

static void test_the_index_of_a_pareto_distribution_is_found(void **state)
{
	static const double alpha[] = {1.2, 1.5, 2, 3};

	(void)state;
	for (size_t i = 0; i < sizeof alpha / sizeof alpha[0]; i++) {
		struct stats_tail_index t;

		pareto(alpha[i], 1000, 100000);
		t = tail_index_estimate(count, STATS_HIST_BUCKETS, 1);
		assert_near(t.inverse, 1 / alpha[i], 0.03 / alpha[i]);
		assert_true(t.calls >= 316 && t.calls < 500);
	}
}

/* Calls of one bucket are all in, or none. */
static void test_two_durations_are_no_tail(void **state)
{
	struct stats_tail_index t;

	(void)state;
	memset(count, 0, sizeof count);
	count[histogram_bucket(1000)] = 9000;
	count[histogram_bucket(11000)] = 1000;
	t = tail_index_estimate(count, STATS_HIST_BUCKETS, 1);
	assert_true(t.calls == 1000 && t.inverse < 0.1);
}

/* One call in 1000 is held up, a hundred times as long as the longest other one. */
static void test_a_gap_is_no_tail(void **state)
{
	struct stats_tail_index t;

	(void)state;
	pareto(4, 1000, 40000);
	for (int i = 0; i < 40; i++)
		count[histogram_bucket(2000000 + (uint64_t)i * 5000)]++;
	t = tail_index_estimate(count, STATS_HIST_BUCKETS, 1);
	assert_true(t.calls <= 40 && t.inverse < 0.2);
}

static void test_short_or_few_calls_have_no_index(void **state)
{
	(void)state;
	pareto(1.5, 0.1, 1000);
	assert_true(tail_index_estimate(count, STATS_HIST_BUCKETS, 1).inverse == 0);
	pareto(1.5, 1000, 1000);
	assert_true(tail_index_estimate(count, STATS_HIST_BUCKETS, 1).inverse > 0);
	assert_true(tail_index_estimate(count, STATS_HIST_BUCKETS, 4000).inverse == 0);
	pareto(1.5, 1000, 29);
	assert_true(tail_index_estimate(count, STATS_HIST_BUCKETS, 1).inverse == 0);
	memset(count, 0, sizeof count);
	assert_true(tail_index_estimate(count, STATS_HIST_BUCKETS, 1).inverse == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_index_of_a_pareto_distribution_is_found),
		cmocka_unit_test(test_two_durations_are_no_tail),
		cmocka_unit_test(test_a_gap_is_no_tail),
		cmocka_unit_test(test_short_or_few_calls_have_no_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
