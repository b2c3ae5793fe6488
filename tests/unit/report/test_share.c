// SPDX-License-Identifier: GPL-3.0-or-later
/* Percentages of one decimal add up to 100.0, and none is far from the truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/wording/numbers.h"

static void check(const double *part, size_t count)
{
	int32_t *permille = calloc(count, sizeof(*permille)), sum = 0;
	double all = 0;

	assert_non_null(permille);
	assert_int_equal(numbers_percentages(part, count, 1000, permille), 0);
	for (size_t i = 0; i < count; i++)
		all += part[i];
	for (size_t i = 0; i < count; i++) {
		sum += permille[i];
		assert_true(fabs(permille[i] - 1000 * part[i] / all) < 1 + 1e-9);
	}
	assert_int_equal(sum, 1000);
	free(permille);
}

static void test_thirds_and_sevenths(void **state)
{
	double part[7] = {1, 1, 1, 1, 1, 1, 1};
	int32_t permille[3];

	(void)state;
	for (size_t count = 1; count <= 7; count++)
		check(part, count);
	assert_int_equal(numbers_percentages(part, 3, 1000, permille), 0);
	/* Equal remainders: the first gets what is missing. */
	assert_int_equal(permille[0], 334);
	assert_int_equal(permille[1], 333);
	assert_int_equal(permille[2], 333);
}

static void test_the_largest_remainder_is_rounded_up(void **state)
{
	double part[3] = {500.2, 300.7, 199.1};
	int32_t permille[3];

	(void)state;
	assert_int_equal(numbers_percentages(part, 3, 1000, permille), 0);
	assert_int_equal(permille[0], 500);
	assert_int_equal(permille[1], 301);
	assert_int_equal(permille[2], 199);
}

static void test_more_parts_than_thousandths(void **state)
{
	double part[5000];

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		part[i] = 1 + (double)(i % 7);
	check(part, 5000);
}

/* A call shorter than the overhead leaves less than nothing, and is not clamped. */
static void test_negative_parts(void **state)
{
	double part[4] = {-3.3, 50.05, 40.05, 13.2};
	int32_t permille[4];

	(void)state;
	check(part, 4);
	assert_int_equal(numbers_percentages(part, 4, 1000, permille), 0);
	assert_int_equal(permille[0], -33);
}

static void test_nothing_is_shared_out_as_nothing(void **state)
{
	double part[2] = {0, 0};
	int32_t permille[2] = {7, 7};

	(void)state;
	assert_int_equal(numbers_percentages(part, 2, 1000, permille), 0);
	assert_int_equal(permille[0], 0);
	assert_int_equal(permille[1], 0);
	assert_int_equal(numbers_percentages(part, 0, 1000, permille), 0);
}

static void test_ugly_fractions(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		double part[40];
		size_t count = 1 + round % 40;

		for (size_t i = 0; i < count; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			part[i] = exp((double)(random >> 40) / (1 << 24) * 30);
		}
		check(part, count);
	}
}

static void check_unsaid(const double *part, size_t count)
{
	int32_t permille[8];

	memset(permille, 7, sizeof(permille));
	assert_int_equal(numbers_percentages(part, count, 1000, permille), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(permille[i], 0);
}

static void test_a_whole_lost_in_what_cancels_is_shared_out_as_nothing(void **state)
{
	const double cancels[3] = {1e18, -1e18, 128}, less[2] = {-2, 1};
	const double large[2] = {1e308, 1e308}, tiny[2] = {5e-324, -1e300};

	(void)state;
	check_unsaid(cancels, 3);
	check_unsaid(less, 2);
	check_unsaid(large, 2);
	check_unsaid(tiny, 2);
}

static void test_parts_that_are_no_numbers_are_shared_out_as_nothing(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		check_unsaid((double[]){1, bad[i], 2}, 3);
}

/* Near the limit of what may cancel every sum of them fits still. */
static void test_parts_that_nearly_cancel_add_up(void **state)
{
	double part[6] = {4e5, -4e5, 3, 3, 2, 1}, small[2] = {5e-324, 5e-324};
	int32_t permille[6];

	(void)state;
	check(part, 6);
	assert_int_equal(numbers_percentages(part, 6, 1000, permille), 0);
	assert_int_equal(permille[0], 44444445);
	check(small, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thirds_and_sevenths),
		cmocka_unit_test(test_the_largest_remainder_is_rounded_up),
		cmocka_unit_test(test_more_parts_than_thousandths),
		cmocka_unit_test(test_negative_parts),
		cmocka_unit_test(test_nothing_is_shared_out_as_nothing),
		cmocka_unit_test(test_ugly_fractions),
		cmocka_unit_test(test_a_whole_lost_in_what_cancels_is_shared_out_as_nothing),
		cmocka_unit_test(test_parts_that_are_no_numbers_are_shared_out_as_nothing),
		cmocka_unit_test(test_parts_that_nearly_cancel_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
