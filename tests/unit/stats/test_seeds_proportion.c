// SPDX-License-Identifier: GPL-3.0-or-later
/* Danzig and Melvin: equations (4), (5) and their Figure 2; the lecture's example of a proportion;
 * Feitelson's half-width. Every printed number follows, to its printed digits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/support/beilner.h"
#include "tests/unit/support/near.h"
#include "stats/mean/replications.h"
#include "stats/planning/plan.h"
#include "stats/mean/proportion.h"
#include "stats/stats.h"

#define HALF_A_DIGIT 0.5000001

/* x to one significant digit, as Figure 2 prints. */
static double one_digit(double x)
{
	double unit = plan_last_digit_unit(x, 1);

	return round(x / unit) * unit;
}

static void test_5_gives_1_96(void **state)
{
	(void)state;
	assert_near(plan_two_sided_z(0.95), 1.96, 0.005);
	for (double alpha = 0.05; alpha < 1; alpha += 0.05)
		assert_near(erf(plan_two_sided_z(alpha) / M_SQRT2), alpha, 1e-12);
}

static void test_the_last_digit(void **state)
{
	(void)state;
	assert_near(plan_last_digit_unit(10, 3), 0.1, 1e-15);
	assert_near(plan_last_digit_unit(99.9, 2), 1, 1e-12);
	assert_near(plan_last_digit_unit(100, 2), 10, 1e-12);
	assert_near(plan_last_digit_unit(0.0123, 1), 0.01, 1e-15);
}

/* Figure 2, all eight cells: "the least significant digit is within one unit of the true value",
 * so epsilon is that unit: 0.1 us for three digits of 10 us (1.00 x 10^1), 1 us for two. */
static void test_4_gives_figure_2(void **state)
{
	static const struct {
		double us, n3, n2;
	} row[] = {{1e1, 8e7, 8e5}, {1e2, 8e6, 8e4}, {1e3, 7e5, 7e3}, {1e4, 4e4, 4e2}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		for (unsigned digits = 2; digits <= 3; digits++) {
			double unit = plan_last_digit_unit(row[i].us, digits);
			double n = plan_danzig_melvin_calls(unit, row[i].us, 20000, 0.95);
			double printed = digits == 3 ? row[i].n3 : row[i].n2;

			assert_near(one_digit(n), printed, 1e-9 * printed);
			/* half a unit, the other reading of "three digits", would need four times
			 * that */
			assert_true(one_digit(4 * n) > printed);
		}
}

/* "About two hours" for 7 10^5 iterations of 10 msec, "an entire day" for 8 10^6. */
static void test_durations_of_the_udp_experiment(void **state)
{
	double three = plan_danzig_melvin_calls(10, 1000, 20000, 0.95) * 10e-3;
	double entire = plan_danzig_melvin_calls(1, 100, 20000, 0.95) * 10e-3;

	(void)state;
	assert_near(three / 3600, 2, 0.05);
	assert_near(entire / 86400, 0.88, 0.005);
}

/* (4) is Beilner's (14b) in absolute terms: a total width of 2 epsilon. */
static void test_4_is_14b(void **state)
{
	(void)state;
	for (double mean = 10; mean < 20000; mean *= 1.7) {
		double w = plan_width_factor(0.9), p = 0.04;
		double n = plan_beilner_calls_short(w, p, mean, 20000);

		assert_near(plan_danzig_melvin_calls(p * mean / 2, mean, 20000, 0.9), n, 1e-9 * n);
	}
}

/* Feitelson: "t comes from tables, n - 1 degrees of freedom; for large n approximated by z". */
static void test_the_half_width_has_the_t_of_the_tables(void **state)
{
	static const struct {
		double n, confidence, t;
	} table[] = {{2, 0.90, 6.314},	{2, 0.95, 12.706}, {5, 0.90, 2.132},  {5, 0.95, 2.776},
		     {5, 0.99, 4.604},	{10, 0.90, 1.833}, {10, 0.95, 2.262}, {10, 0.99, 3.250},
		     {30, 0.95, 2.045}, {31, 0.95, 2.042}, {121, 0.95, 1.980}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_near(replications_half_width(7 * sqrt(table[i].n), table[i].n,
						    table[i].confidence),
			    7 * table[i].t, 7 * 0.00051);
	for (double n = 1e4; n < 1e13; n *= 100)
		assert_near(replications_half_width(sqrt(n), n, 0.95), plan_two_sided_z(0.95),
			    4 / n);
	assert_true(isinf(replications_half_width(1, 1, 0.95)));
	assert_true(isnan(replications_half_width(1, 0, 0.95)));
}

/* His ten averages of ten readings ("a typical result"), and those of the batch after the
 * printing: the interval, wide as it is, does not show what looking at the data shows. */
static void test_the_half_widths_of_two_typical_results(void **state)
{
	const double typical[] = {1.20, 1.00, 0.70, 0.90, 1.00, 1.00, 0.90, 1.00, 1.10, 1.00};
	const double after[] = {11.10, 0.90, 1.10, 0.90, 0.90, 1.00, 1.00, 1.00, 1.00, 1.00};
	double s = replications_deviation(typical, 10);

	(void)state;
	/* by hand: squares of the distances from 0.98 add up to 0.156 */
	assert_near(s, sqrt(0.156 / 9), 1e-12);
	assert_near(replications_half_width(s, 10, 0.90), 1.833 * s / sqrt(10), 1e-4);
	assert_near(replications_half_width(s, 10, 0.90), 0.0763, 0.00005);
	/* from 1.99, 92.249: the interval (-0.30, 4.28) holds 1 */
	s = replications_deviation(after, 10);
	assert_near(s, sqrt(92.249 / 9), 1e-12);
	assert_near(replications_half_width(s, 10, 0.95), 2.29, 0.005);
	assert_true(isnan(replications_deviation(after, 1)));
}

/* The lecture's 467 of 8764 at 10 us: 8297 without, (0.0486, 0.0580), "(0.49, 0.58) us". The
 * textbook interval for a proportion is (6b) with the deviation of (10a). */
static void test_the_proportion_of_the_lecture(void **state)
{
	double n = 8764, m = 467, p = plan_beilner_mean(m, n, 1);
	double half = 1.96 * plan_beilner_deviation(p, 1, n);

	(void)state;
	assert_near(n - m, 8297, 0);
	assert_near(p - half, 0.0486, 0.0001 * HALF_A_DIGIT);
	assert_near(p + half, 0.0580, 0.0001 * HALF_A_DIGIT);
	p = plan_beilner_mean(m, n, 10);
	half = 1.96 * plan_beilner_deviation(p, 10, n);
	assert_near(p - half, 0.49, 0.01 * HALF_A_DIGIT);
	assert_near(p + half, 0.58, 0.01 * HALF_A_DIGIT);
}

/* "The approach used on the previous slide is somewhat discredited". For so many ticks it is no
 * matter of size but of place: Wilson's limits, the p at which m/n is just z deviations away, and
 * the exact ones, which leave 2.5 % on each side, lie higher by 4 % of the width. */
static void test_the_proportion_of_the_lecture_by_sounder_methods(void **state)
{
	double n = 8764, m = 467, z = plan_two_sided_z(0.95), low, high;
	double middle = (m + z * z / 2) / (n + z * z);
	double half = z * sqrt(m * (n - m) / n + z * z / 4) / (n + z * z);

	(void)state;
	assert_near(middle - half, 0.04878, 0.00001 * HALF_A_DIGIT);
	assert_near(middle + half, 0.05819, 0.00001 * HALF_A_DIGIT);
	for (int side = -1; side <= 1; side += 2) { /* it is Wilson's: the score is z */
		double p = middle + side * half;

		assert_near(fabs(m / n - p) / plan_beilner_deviation(p, 1, n), z, 1e-9);
	}
	proportion_clopper_pearson(m, n, 0.95, &low, &high);
	assert_near(low, 0.04868, 0.00001 * HALF_A_DIGIT);
	assert_near(high, 0.05820, 0.00001 * HALF_A_DIGIT);
	assert_true(plan_two_sided_z(0.95) < 1.96 && low < m / n && m / n < high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_5_gives_1_96),
		cmocka_unit_test(test_the_last_digit),
		cmocka_unit_test(test_4_gives_figure_2),
		cmocka_unit_test(test_durations_of_the_udp_experiment),
		cmocka_unit_test(test_4_is_14b),
		cmocka_unit_test(test_the_proportion_of_the_lecture),
		cmocka_unit_test(test_the_proportion_of_the_lecture_by_sounder_methods),
		cmocka_unit_test(test_the_half_width_has_the_t_of_the_tables),
		cmocka_unit_test(test_the_half_widths_of_two_typical_results),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
