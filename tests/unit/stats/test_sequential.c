// SPDX-License-Identifier: GPL-3.0-or-later
/* Limits that hold however often one looks: the formulas' own figures, and by simulation with fixed
 * seeds, how often the truth is outside at any look (tests/bench/live has more laws). */
#include "tests/unit/support/near.h"

#include <stdbool.h>

#include "stats/numerics/random.h"
#include "stats/sequential/sequential.h"

static struct sequential of(const double *d, size_t n)
{
	struct sequential s = {0};

	for (size_t i = 0; i < n; i++)
		sequential_add(&s, d[i]);
	return s;
}

static void test_sums_are_those_of_welford(void **state)
{
	const double d[] = {1, 2, 3, 6};
	struct sequential s = of(d, 4);

	(void)state;
	assert_near(s.n, 4, 0);
	assert_near(s.mean, 3, 1e-12);
	assert_near(s.squares, 14, 1e-12);
}

/* n = 4, mean 3, squares 14; tuned to 40: g = 1/4, 1 + n g = 2. x = 4 * 9 / 14.
 * e = 2^-1/2 ((1 + x) / (1 + x / 2))^2. */
static void test_e_value_is_lais(void **state)
{
	const double d[] = {1, 2, 3, 6};
	struct sequential s = of(d, 4);
	double x = 36.0 / 14, ratio = (1 + x) / (1 + x / 2);

	(void)state;
	assert_near(sequential_e(&s, 0, 40), ratio * ratio / sqrt(2), 1e-9);
	assert_near(sequential_e(&s, 3, 40), 1 / sqrt(2), 1e-9);
}

static void test_nothing_is_known_of_one(void **state)
{
	const double d[] = {5};
	struct sequential s = of(d, 1);

	(void)state;
	assert_near(sequential_e(&s, 0, 20), 1, 0);
	assert_near(sequential_e(&s, 5, 20), 1, 0);
	assert_true(isinf(sequential_interval(&s, 0.05, 20).low));
	assert_true(isinf(sequential_interval(&s, 0.05, 20).high));
}

static void test_limits_are_where_e_reaches_its_bound(void **state)
{
	double d[40];
	struct sequential s;
	struct sequential_limits l;

	(void)state;
	for (int i = 0; i < 40; i++)
		d[i] = 0.3 + sin(3.7 * i);
	s = of(d, 40);
	l = sequential_interval(&s, 0.01, 20);
	assert_true(l.low < s.mean && s.mean < l.high);
	assert_near(sequential_e(&s, l.low, 20), 100, 1e-6);
	assert_near(sequential_e(&s, l.high, 20), 100, 1e-6);
}

/* Two differences cannot say enough, however alike they are. */
static void test_equal_differences_are_bounded(void **state)
{
	const double d[] = {1, 1, 1, 1, 1, 1};
	struct sequential two = of(d, 2), six = of(d, 6);

	(void)state;
	assert_near(sequential_e(&two, 0, 20), sqrt(2), 1e-9);
	assert_near(sequential_e(&six, 0, 20), pow(4, 2.5), 1e-9);
	assert_near(sequential_e(&six, 1, 20), 0.5, 1e-9);
}

static void test_discoveries_are_those_of_e_bh(void **state)
{
	/* of 4 at 0.05: one needs 80, two of them 40 each, three 26.7 */
	const double one[] = {81, 39, 1, 0}, two[] = {41, 45, 1, 0}, none[] = {79, 39, 26, 0};
	unsigned char found[4];

	(void)state;
	assert_int_equal(sequential_discover(one, 4, 0.05, found), 1);
	assert_true(found[0] && !found[1] && !found[2] && !found[3]);
	assert_int_equal(sequential_discover(two, 4, 0.05, found), 2);
	assert_true(found[0] && found[1] && !found[2]);
	assert_int_equal(sequential_discover(none, 4, 0.05, found), 0);
	assert_false(found[0] || found[1] || found[2] || found[3]);
	assert_int_equal(sequential_discover(none, 0, 0.05, found), 0);
}

/* The constant that is tabulated for 0.05, and its growth. */
static void test_robbins_boundary(void **state)
{
	(void)state;
	assert_near(sequential_z(1, 0.05), 2.7955, 1e-4);
	assert_near(sequential_z(100, 0.05), sqrt(2.7955 * 2.7955 + log(100)), 1e-4);
	assert_near(sequential_t(1, 0.05, 1e6), 2.7955, 1e-3);
	assert_true(sequential_t(1, 0.05, 10) > 3.4);
}

/* Box and Muller. */
static double normal(struct random *r)
{
	double u = ((double)(random_next(r) >> 11) + 0.5) * 0x1p-53;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * (double)(random_next(r) >> 11) * 0x1p-53);
}

static bool ever_outside(struct random *r, int looks)
{
	struct sequential s = {0};

	for (int i = 0; i < looks; i++) {
		struct sequential_limits l;

		sequential_add(&s, normal(r));
		l = sequential_interval(&s, 0.05, 20);
		if (l.low > 0 || l.high < 0)
			return true;
	}
	return false;
}

/* An ordinary interval, watched as long, excludes the truth in more than 300 of 1000. */
static void test_truth_is_seldom_ever_outside(void **state)
{
	struct random r;
	int outside = 0;

	(void)state;
	random_seed(&r, 7);
	for (int i = 0; i < 1000; i++)
		outside += ever_outside(&r, 200);
	assert_in_range(outside, 5, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_those_of_welford),
		cmocka_unit_test(test_e_value_is_lais),
		cmocka_unit_test(test_nothing_is_known_of_one),
		cmocka_unit_test(test_limits_are_where_e_reaches_its_bound),
		cmocka_unit_test(test_equal_differences_are_bounded),
		cmocka_unit_test(test_discoveries_are_those_of_e_bh),
		cmocka_unit_test(test_robbins_boundary),
		cmocka_unit_test(test_truth_is_seldom_ever_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
