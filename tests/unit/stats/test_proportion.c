// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals of a proportion: published limits, the equations that define them, and
 * the counts at which arithmetic is hard. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>

#include "tests/unit/support/near.h"
#include "stats/mean/proportion.h"

typedef void limits(double x, double n, double confidence, double *low, double *high);

static limits *const all[] = {proportion_clopper_pearson, proportion_mid_p, proportion_wilson,
			      proportion_jeffreys, proportion_agresti_coull};
#define METHODS	   (sizeof all / sizeof all[0])
#define COUNT(a)   (sizeof(a) / sizeof(a)[0])
#define ROUNDED(k) (0.5000001 * pow(10, -(k))) /* printed with k decimals */

struct published {
	double x, n, low, high;
};

static void check_published(limits *f, const struct published *row, size_t rows, double within)
{
	for (size_t i = 0; i < rows; i++) {
		double low, high;

		f(row[i].x, row[i].n, 0.95, &low, &high);
		assert_near(low, row[i].low, within);
		assert_near(high, row[i].high, within);
	}
}

/* Newcombe, "Two-sided confidence intervals for the single proportion: comparison of
 * seven methods", Statistics in Medicine 17 (1998) 857-872, Table I: methods 3, 5, 6. */
static void test_newcombe_1998_table_1(void **state)
{
	static const struct published wilson[] = {{81, 263, 0.2553, 0.3662},
						  {15, 148, 0.0624, 0.1605},
						  {0, 20, 0, 0.1611},
						  {1, 29, 0.0061, 0.1718}};
	static const struct published exact[] = {{81, 263, 0.2527, 0.3676},
						 {15, 148, 0.0578, 0.1617},
						 {0, 20, 0, 0.1684},
						 {1, 29, 0.0009, 0.1776}};
	static const struct published mid_p[] = {{81, 263, 0.2544, 0.3658},
						 {15, 148, 0.0601, 0.1581},
						 {0, 20, 0, 0.1391},
						 {1, 29, 0.0017, 0.1585}};
	(void)state;
	check_published(proportion_wilson, wilson, COUNT(wilson), ROUNDED(4));
	check_published(proportion_clopper_pearson, exact, COUNT(exact), ROUNDED(4));
	check_published(proportion_mid_p, mid_p, COUNT(mid_p), ROUNDED(4));
}

/* What R's package binom printed, as statsmodels keeps it (test results of its module
 * proportion); 4 of 20 and more. */
static void test_the_limits_of_r_binom(void **state)
{
	static const struct published agresti_coull[] = {
		{18, 20, 0.6867561125596077, 0.984343760998137},
		{4, 20, 0.0749115102767071, 0.4217635845549845},
		{4, 200, 0.005991954548218395, 0.0520995587739575}};
	static const struct published exact[] = {
		{18, 20, 0.6830172859809176, 0.9876514728297052},
		{4, 20, 0.05733399705003284, 0.436614002996668},
		{4, 200, 0.005475565879556443, 0.05041360908989634}};
	static const struct published wilson[] = {
		{18, 20, 0.6989663547715128, 0.972133518786232},
		{4, 20, 0.0806576625797981, 0.4160174322518935},
		{4, 200, 0.00780442641634947, 0.05028708690582643}};
	(void)state;
	check_published(proportion_agresti_coull, agresti_coull, COUNT(agresti_coull), 1e-12);
	check_published(proportion_clopper_pearson, exact, COUNT(exact), 1e-10);
	check_published(proportion_wilson, wilson, COUNT(wilson), 1e-12);
}

/* Mid-P of 36 in 154 as SAS prints it (CAMIS, "Confidence intervals for a proportion
 * in R"). Jeffreys' of few in seven: Brown, Cai and DasGupta (2001), Table 5. */
static void test_published_mid_p_and_jeffreys(void **state)
{
	static const struct published mid_p[] = {{36, 154, 0.17200131, 0.30545883}};
	static const struct published jeffreys[] = {{2, 7, 0.065, 0.648}, {3, 7, 0.139, 0.765}};

	(void)state;
	check_published(proportion_mid_p, mid_p, 1, 1e-8);
	check_published(proportion_jeffreys, jeffreys, COUNT(jeffreys), ROUNDED(3));
}

static void check_equations(unsigned x, unsigned n, double confidence)
{
	double rest = (1 - confidence) / 2, z = gsl_cdf_ugaussian_Qinv(rest), low, high;
	double trials = n + z * z, p;

	proportion_clopper_pearson(x, n, confidence, &low, &high);
	assert_near(gsl_cdf_binomial_Q(x - 1, low, n), rest, 1e-7 * rest);
	assert_near(gsl_cdf_binomial_P(x, high, n), rest, 1e-7 * rest);
	proportion_mid_p(x, n, confidence, &low, &high);
	assert_near(gsl_cdf_binomial_Q(x, low, n) + gsl_cdf_binomial_Q(x - 1, low, n), 2 * rest,
		    2e-7 * rest);
	assert_near(gsl_cdf_binomial_P(x, high, n) + gsl_cdf_binomial_P(x - 1, high, n), 2 * rest,
		    2e-7 * rest);
	proportion_jeffreys(x, n, confidence, &low, &high);
	assert_near(gsl_cdf_beta_P(low, x + 0.5, n - x + 0.5), rest, 1e-7 * rest);
	assert_near(gsl_cdf_beta_Q(high, x + 0.5, n - x + 0.5), rest, 1e-7 * rest);
	p = (double)x / n;
	proportion_wilson(x, n, confidence, &low, &high);
	assert_near((p - low) / sqrt(low * (1 - low) / n), z, 1e-8 * z);
	assert_near((high - p) / sqrt(high * (1 - high) / n), z, 1e-8 * z);
	p = (x + z * z / 2) / trials;
	proportion_agresti_coull(x, n, confidence, &low, &high);
	assert_near(low, fmax(0, p - z * sqrt(p * (1 - p) / trials)), 1e-12);
	assert_near(high, fmin(1, p + z * sqrt(p * (1 - p) / trials)), 1e-12);
}

static void test_limits_solve_the_equations_that_define_them(void **state)
{
	static const unsigned n[] = {2, 7, 30, 1000, 100000};
	static const double confidence[] = {0.5, 0.95, 0.999};

	(void)state;
	for (size_t i = 0; i < COUNT(n); i++)
		for (unsigned x = 1; x < n[i]; x += x / 2 + 1)
			for (size_t c = 0; c < COUNT(confidence); c++)
				check_equations(x, n[i], confidence[c]);
}

/* Effective counts are not whole numbers: limits increase between adjacent ones. */
static void test_limits_grow_with_fractions_of_successes(void **state)
{
	(void)state;
	for (size_t m = 0; m < METHODS; m++) {
		double last_low = 0, last_high = 0, low, high;

		for (double x = 0.25; x < 30; x += 0.25) {
			all[m](x, 30.5, 0.95, &low, &high);
			assert_true(low >= last_low && high >= last_high);
			assert_true(high > last_high || high == 1);
			last_low = low;
			last_high = high;
		}
	}
}

static void test_failures_mirror_successes(void **state)
{
	(void)state;
	for (size_t m = 0; m < METHODS; m++)
		for (double x = 0; x <= 50; x += 2.5) {
			double low, high, mirrored_low, mirrored_high;

			all[m](x, 50, 0.95, &low, &high);
			all[m](50 - x, 50, 0.95, &mirrored_low, &mirrored_high);
			assert_near(low, 1 - mirrored_high, 1e-9);
			assert_near(high, 1 - mirrored_low, 1e-9);
		}
}

/* Exact and mid-P limits have closed forms there. */
static void test_none_and_all_reach_the_end(void **state)
{
	static const double n[] = {1, 3, 20, 1e4, 1e9, 1e12};
	double low, high;

	(void)state;
	for (size_t i = 0; i < COUNT(n); i++) {
		for (size_t m = 0; m < METHODS; m++) {
			all[m](0, n[i], 0.95, &low, &high);
			assert_true(low == 0);
			assert_true(high > 0 && high <= 1);
			all[m](n[i], n[i], 0.95, &low, &high);
			assert_true(high == 1);
			assert_true(low >= 0 && low < 1);
		}
		proportion_clopper_pearson(0, n[i], 0.95, &low, &high);
		assert_near(high, -expm1(log(0.025) / n[i]), 1e-8 * high);
		proportion_mid_p(0, n[i], 0.95, &low, &high);
		assert_near(high, -expm1(log(0.05) / n[i]), 1e-8 * high);
	}
}

/* Few among 10^12 are Poisson's: half a quantile of chi-square. */
static void test_few_among_very_many(void **state)
{
	static const double x[] = {1, 3, 50, 400};
	double n = 1e12, low, high;

	(void)state;
	for (size_t i = 0; i < COUNT(x); i++) {
		proportion_clopper_pearson(x[i], n, 0.95, &low, &high);
		assert_near(n * low, gsl_cdf_chisq_Pinv(0.025, 2 * x[i]) / 2, 1e-6 * x[i]);
		assert_near(n * high, gsl_cdf_chisq_Pinv(0.975, 2 * x[i] + 2) / 2, 1e-6 * x[i]);
		proportion_jeffreys(x[i], n, 0.95, &low, &high);
		assert_near(n * low, gsl_cdf_chisq_Pinv(0.025, 2 * x[i] + 1) / 2, 1e-6 * x[i]);
		assert_near(n * high, gsl_cdf_chisq_Pinv(0.975, 2 * x[i] + 1) / 2, 1e-6 * x[i]);
	}
}

/* Many of both: all agree with the normal distribution, the exact ones after half a
 * count more. */
static void test_many_among_very_many(void **state)
{
	static const double share[] = {1e-6, 0.1, 0.5, 0.999};
	double n = 1e12, z = gsl_cdf_ugaussian_Qinv(0.025);

	(void)state;
	for (size_t i = 0; i < COUNT(share); i++)
		for (size_t m = 0; m < METHODS; m++) {
			double p = share[i], sd = sqrt(p * (1 - p) / n), low, high;

			all[m](p * n, n, 0.95, &low, &high);
			assert_near((p - low) / sd, z, 0.004);
			assert_near((high - p) / sd, z, 0.004);
		}
}

/* On both sides of the counts from which tails are approximated. */
static void test_no_step_where_tails_are_approximated(void **state)
{
	(void)state;
	for (size_t m = 0; m < METHODS; m++) {
		double low[3], high[3];

		for (int i = 0; i < 3; i++)
			all[m](19999 + i, 1e8, 0.95, &low[i], &high[i]);
		assert_near((low[2] - low[1]) / (low[1] - low[0]), 1, 1e-3);
		assert_near((high[2] - high[1]) / (high[1] - high[0]), 1, 1e-3);
	}
}

static void test_more_confidence_is_wider(void **state)
{
	static const double confidence[] = {0.5, 0.9, 0.95, 0.99, 0.9999};

	(void)state;
	for (size_t m = 0; m < METHODS; m++)
		for (double n = 10; n < 1e13; n *= 100)
			for (double x = 0.5; x < n; x *= 7.3) {
				double last_low = x / n, last_high = last_low;

				for (size_t c = 0; c < COUNT(confidence); c++) {
					double low, high;

					all[m](x, n, confidence[c], &low, &high);
					assert_true(0 <= low && low <= last_low);
					assert_true(last_high <= high && high <= 1);
					assert_true(low < high);
					last_low = low;
					last_high = high;
				}
			}
}

/* Of trials without order the interval is Wilson's; phases do not widen it, and what alternates
 * from batch to batch does. */
static void test_batches_tell_how_far_trials_depend(void **state)
{
	enum { BATCHES = 32 };
	uint64_t even[BATCHES], phases[BATCHES], jumps[BATCHES], n[BATCHES];
	double low, high, wilson_low, wilson_high;

	(void)state;
	for (int i = 0; i < BATCHES; i++) {
		n[i] = 40;
		even[i] = 10;
		phases[i] = i < 8 ? 40 : 0;
		jumps[i] = i % 4 == 0 ? 40 : 0;
	}
	proportion_wilson(320, 1280, 0.95, &wilson_low, &wilson_high);
	assert_near(proportion_batches(even, n, BATCHES, 0.95, &low, &high), 1280, 1e-9);
	assert_near(low, wilson_low, 1e-12);
	assert_near(high, wilson_high, 1e-12);
	/* one boundary: (40^2 * 32) / (2 * 31) beside 1280 / 4 * 3 / 4 = 240 */
	assert_near(proportion_batches(phases, n, BATCHES, 0.95, &low, &high),
		    1280 * 240.0 / (1600.0 * 32 / 62), 1e-9);
	/* 15 ups and downs: as if 32 batches were little more than so many trials */
	assert_true(proportion_batches(jumps, n, BATCHES, 0.95, &low, &high) < 32);
	assert_true(low < 0.25 && 0.25 < high && high - low > 0.25);
	/* few trials are taken for independent */
	memset(n, 0, sizeof(n));
	n[0] = even[0] = 1;
	assert_near(proportion_batches(even, n, 1, 0.95, &low, &high), 1, 0);
	n[0] = even[0] = 0;
	assert_near(proportion_batches(even, n, 1, 0.95, &low, &high), 0, 0);
	assert_true(low <= 0 && high >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newcombe_1998_table_1),
		cmocka_unit_test(test_the_limits_of_r_binom),
		cmocka_unit_test(test_published_mid_p_and_jeffreys),
		cmocka_unit_test(test_limits_solve_the_equations_that_define_them),
		cmocka_unit_test(test_limits_grow_with_fractions_of_successes),
		cmocka_unit_test(test_failures_mirror_successes),
		cmocka_unit_test(test_none_and_all_reach_the_end),
		cmocka_unit_test(test_few_among_very_many),
		cmocka_unit_test(test_many_among_very_many),
		cmocka_unit_test(test_no_step_where_tails_are_approximated),
		cmocka_unit_test(test_more_confidence_is_wider),
		cmocka_unit_test(test_batches_tell_how_far_trials_depend),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
