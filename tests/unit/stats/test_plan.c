// SPDX-License-Identifier: GPL-3.0-or-later
/* Planning beyond the papers: few ticks, and ticks that vary. Held against definitions
 * written out and against simulation with a fixed seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "stats/planning/plan.h"
#include "stats/mean/proportion.h"
#include "stats/stats.h"

/* The average by its definition: every count, binomial by lgamma. */
static double average_width(double f, int n, bool whole)
{
	double sum = 0;

	for (int x = 0; x <= n; x++) {
		double low, high,
			log_p = lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(f) +
				(n - x) * log1p(-f);

		proportion_clopper_pearson(x, n, 0.95, &low, &high);
		if (x == n)
			high = 2 - low;
		if (x == 0 && whole)
			low = -high;
		sum += exp(log_p) * (high - low);
	}
	return sum;
}

static void test_exact_width_is_the_average_over_all_counts(void **state)
{
	static const double ticks[] = {0.003, 0.1, 0.5, 0.97, 1.02, 3.5, 7.96};

	(void)state;
	for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
		for (int n = 1; n < 300; n = n * 3 + 1) {
			double wanted = average_width(ticks[i] - floor(ticks[i]), n, ticks[i] > 1);

			assert_near(plan_exact_width(ticks[i], n, 0.95), wanted, 1e-5 * wanted);
		}
}

/* A whole number of ticks, always the same count: 2 (1 - 0.025^(1/n)) wide. */
static void test_exact_width_of_calls_that_are_all_alike(void **state)
{
	(void)state;
	for (double n = 1; n < 1e6; n *= 7)
		assert_near(plan_exact_width(3, n, 0.95), 2 * (1 - pow(0.025, 1 / n)), 1e-9);
}

static void test_exact_calls_are_the_fewest(void **state)
{
	static const double ticks[] = {0.0001, 0.05, 0.5, 0.99, 1.01, 2, 2.5};

	(void)state;
	for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
		for (double p = 0.7; p < 2; p *= 2) {
			double n = plan_exact_calls(ticks[i], p * ticks[i], 0.95);

			assert_near(n, floor(n), 0);
			assert_true(plan_exact_width(ticks[i], n, 0.95) <= p * ticks[i]);
			if (n > 1)
				assert_true(plan_exact_width(ticks[i], n - 1, 0.95) > p * ticks[i]);
		}
	assert_true(isnan(plan_exact_calls(0.5, 0, 0.95)));
	assert_true(isnan(plan_exact_calls(0, 0.1, 0.95)));
}

/* Many ticks: Clopper and Pearson's is the normal interval plus about one count. */
static void test_exact_calls_meet_the_normal_ones(void **state)
{
	double normal = plan_beilner_calls(plan_width_factor(0.95), 0.1, 0.01, 1);
	double exact = plan_exact_calls(0.01, 0.1 * 0.01, 0.95);

	(void)state;
	assert_true(exact > normal);
	assert_near(exact / normal, 1 + 2 / (0.1 * 0.01 * normal), 0.004);
}

/* xorshift64*: a number in [0, 1). */
static double draw(uint64_t *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (double)(*random * 0x2545F4914F6CDD1Dull >> 11) * 0x1p-53;
}

/* Ticks within `length` from an instant at random: the spacing that holds it is drawn
 * in proportion to its length. */
static unsigned ticks_within(double length, uint64_t *random)
{
	double spacing, at;
	unsigned ticks = 0;

	do
		spacing = 0.5 + draw(random);
	while (draw(random) > spacing / 1.5);
	for (at = spacing * draw(random); at < length; at += 0.5 + draw(random))
		ticks++;
	return ticks;
}

static void test_ticks_that_vary_are_a_renewal_process(void **state)
{
	static const double ticks[] = {0.2, 0.5, 0.8, 1.2, 1.7, 1.99, 2.2, 2.5, 4.5, 10};
	const double n = 400000;
	uint64_t random = 20261121;

	(void)state;
	for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
		double sum = 0, square = 0, mean;

		for (int k = 0; k < n; k++) {
			double c = ticks_within(ticks[i], &random);

			sum += c;
			square += c * c;
		}
		mean = sum / n;
		assert_near(mean, ticks[i], 6 * sqrt(ticks[i] / n));
		assert_near((square / n - mean * mean) / plan_random_tick_variance(ticks[i]), 1,
			    0.02);
	}
	/* below half a tick nothing has changed: no call can show two */
	assert_near(plan_random_tick_variance(0.4), plan_beilner_count_variance(0.4), 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_width_is_the_average_over_all_counts),
		cmocka_unit_test(test_exact_width_of_calls_that_are_all_alike),
		cmocka_unit_test(test_exact_calls_are_the_fewest),
		cmocka_unit_test(test_exact_calls_meet_the_normal_ones),
		cmocka_unit_test(test_ticks_that_vary_are_a_renewal_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
