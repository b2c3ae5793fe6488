// SPDX-License-Identifier: GPL-3.0-or-later
/* Distributions answer NAN where there is no answer, and never end the process. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "stats/compare/between_runs.h"
#include "stats/compare/compare.h"
#include "stats/displacement/displacement.h"
#include "stats/numerics/distributions.h"

static const double ugly[] = {NAN,   INFINITY, -INFINITY, 0,   -1,   5e-324, 1e-300, 1e-3,  0.5,
			      0.999, 1,	       1.5,	  1e5, 1e15, 1e300,  -0.0,   -1e-9, 2.5};
#define UGLY (sizeof(ugly) / sizeof(*ugly))

/* Student's t, 97.5 %: 12.706, 2.228 in every table; the upper tail is its inverse. */
static void test_quantiles_are_those_of_the_tables(void **state)
{
	(void)state;
	assert_near(distributions_t_quantile(0.975, 1), 12.706, 5e-4);
	assert_near(distributions_t_quantile(0.975, 10), 2.228, 5e-4);
	assert_near(distributions_t_quantile(0.975, INFINITY), 1.960, 5e-4);
	assert_near(distributions_t_upper(2.228, 10), 0.025, 1e-5);
	assert_near(distributions_t_upper(INFINITY, 10), 0, 0);
	assert_near(distributions_gamma_upper(1, 1), exp(-1), 1e-12);
	assert_near(distributions_beta_lower(0.3, 1, 1), 0.3, 1e-12);
	assert_near(distributions_beta_upper(0.3, 1, 1), 0.7, 1e-12);
	assert_near(distributions_binomial_upper(0, 0.5, 2), 0.75, 1e-12);
	assert_near(distributions_digamma(1), -0.577215664901532, 1e-12);
	assert_near(distributions_trigamma(1), M_PI * M_PI / 6, 1e-12);
	assert_near(distributions_tetragamma(1), -2 * 1.202056903159594, 1e-12);
}

static void test_a_fraction_of_a_degree_of_freedom_has_no_quantile(void **state)
{
	static const double few[] = {0, 0.001, 0.5, 0.99, -1, NAN};

	(void)state;
	for (size_t i = 0; i < sizeof(few) / sizeof(*few); i++) {
		assert_true(isnan(distributions_t_quantile(0.975, few[i])));
		assert_true(isnan(distributions_t_upper(2, few[i])));
	}
}

static void check_tail(double p)
{
	assert_true(isnan(p) || (p >= -1e-9 && p <= 1 + 1e-9));
}

static void test_ugly_arguments_give_a_probability_or_no_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < UGLY; i++) {
		distributions_digamma(ugly[i]);
		distributions_trigamma(ugly[i]);
		distributions_tetragamma(ugly[i]);
		check_tail(distributions_binomial_upper(3, ugly[i], 2));
		for (size_t k = 0; k < UGLY; k++) {
			distributions_t_quantile(ugly[i], ugly[k]);
			check_tail(distributions_t_upper(ugly[i], ugly[k]));
			check_tail(distributions_gamma_upper(ugly[i], ugly[k]));
			for (size_t m = 0; m < UGLY; m++) {
				check_tail(distributions_beta_lower(ugly[i], ugly[k], ugly[m]));
				check_tail(distributions_beta_upper(ugly[i], ugly[k], ugly[m]));
			}
		}
	}
}

static void test_limits_of_a_value_of_no_freedom_are_infinite(void **state)
{
	struct displacement_value v = {5, 1, 0.001};
	double low, high;

	(void)state;
	displacement_limits(v, 0.95, &low, &high);
	assert_true(low == -INFINITY && high == INFINITY);
	v.freedom = NAN;
	displacement_limits(v, 0.95, &low, &high);
	assert_true(low == -INFINITY && high == INFINITY);
	v.freedom = 10;
	displacement_limits(v, 0.95, &low, &high);
	assert_near(low, 5 - 2.228, 5e-4);
	assert_near(high, 5 + 2.228, 5e-4);
}

static void test_comparisons_of_ugly_means_end(void **state)
{
	struct compare_null null = {.low = 1, .high = 1, .freedom = INFINITY};
	double low, high;

	(void)state;
	for (size_t i = 0; i < UGLY * UGLY; i++) {
		struct compare_mean a = {ugly[i % UGLY], ugly[i / UGLY], ugly[(i + 5) % UGLY]};
		struct compare_mean b = {1, 1, ugly[i / UGLY]};
		double variance[2] = {fabs(ugly[i % UGLY]), 1}, freedom[2] = {ugly[i / UGLY], 1};

		compare_ratio_p(&a, &b, &null);
		compare_ratio_limits(&a, &b, &null, 0.95, &low, &high);
		assert_false(isnan(low) || isnan(high));
		between_runs_prior(variance, freedom, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_are_those_of_the_tables),
		cmocka_unit_test(test_a_fraction_of_a_degree_of_freedom_has_no_quantile),
		cmocka_unit_test(test_ugly_arguments_give_a_probability_or_no_number),
		cmocka_unit_test(test_limits_of_a_value_of_no_freedom_are_infinite),
		cmocka_unit_test(test_comparisons_of_ugly_means_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
