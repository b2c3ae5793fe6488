// SPDX-License-Identifier: GPL-3.0-or-later
/* Replications: the lecture's K-best, Feitelson's half width on the figures he
 * prints, and the tests of trend and dependence by hand and by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/mean/replications.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* splitmix64, and Box and Muller's normal deviates: the same on every machine. */
static uint64_t seed;

static double uniform(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ---- K-best ---- */

/* The lecture's parameters: K = 3, epsilon = 0.001, up to N = 20 measurements. */
static void test_k_best_stops_where_three_agree(void **state)
{
	static const double cycles[] = {70513, 50020, 68829, 50000, 50061, 50035, 50049};
	struct kbest b = replications_kbest(cycles, COUNT(cycles), 3, 0.001);

	(void)state;
	/* 50000, 50020 and 50035 lie within 50050; 50061 does not, and came too early */
	assert_int_equal(b.measurements, 6);
	assert_float_equal(b.value, 50000, 0);
	assert_float_equal(b.spread, 35.0 / 50000, 1e-12);
}

static void test_k_best_says_when_it_did_not_converge(void **state)
{
	static const double cycles[] = {70513, 50020, 68829, 50000, 50061};
	struct kbest b = replications_kbest(cycles, COUNT(cycles), 3, 0.001);

	(void)state;
	assert_int_equal(b.measurements, 0);
	assert_float_equal(b.value, 50000, 0);
	assert_float_equal(b.spread, 61.0 / 50000, 1e-12);
}

/* A new fastest value makes earlier ones too slow: what counted no longer does. */
static void test_k_best_counts_anew_from_a_faster_value(void **state)
{
	static const double fell[] = {100.05, 100.04, 90, 90.05, 95, 90.01};

	(void)state;
	assert_int_equal(replications_kbest(fell, 3, 3, 0.001).measurements, 0);
	assert_int_equal(replications_kbest(fell, 6, 3, 0.001).measurements, 6);
	assert_int_equal(replications_kbest(fell, 2, 2, 0.001).measurements, 2);
	assert_int_equal(replications_kbest(fell, 6, 2, 0.001).measurements, 4);
}

/* Three that agree in a slow phase are not the answer once a faster one has come: the value
 * and the spread are of all measurements, and so is the verdict. */
static void test_k_best_does_not_believe_a_slow_phase(void **state)
{
	static const double slow[] = {100, 100.01, 100.02, 60, 80, 90};
	static const double drawn[] = {100, 100.01, 100.02, 99.99, 120};
	struct kbest b = replications_kbest(slow, COUNT(slow), 3, 0.001);

	(void)state;
	assert_int_equal(b.measurements, 0);
	assert_float_equal(b.value, 60, 0);
	assert_float_equal(b.spread, 0.5, 1e-12);
	/* a faster one that agrees with them leaves it so */
	assert_int_equal(replications_kbest(drawn, COUNT(drawn), 3, 0.001).measurements, 3);
}

static void test_k_best_with_ties_and_few(void **state)
{
	static const double same[] = {7, 7, 7};
	struct kbest b = replications_kbest(same, 3, 3, 0);

	(void)state;
	assert_int_equal(b.measurements, 3);
	assert_float_equal(b.spread, 0, 0);
	b = replications_kbest(same, 2, 3, 0.001);
	assert_int_equal(b.measurements, 0);
	assert_true(isnan(b.spread));
	assert_float_equal(b.value, 7, 0);
	assert_true(isnan(replications_kbest(same, 0, 3, 0.001).value));
}

/* Interference that hits two measurements of three and at least doubles them: the
 * mean is lost, K-best is not ("cycle counter never underestimates"). */
static void test_k_best_survives_heavy_load(void **state)
{
	double x[20];
	int right = 0, converged = 0;

	(void)state;
	seed = 1;
	for (int trial = 0; trial < 1000; trial++) {
		for (size_t i = 0; i < COUNT(x); i++) {
			x[i] = 1000 * (1 + 0.0002 * uniform());
			if (uniform() < 2.0 / 3)
				x[i] += 1000 - 2000 * log(uniform());
		}
		struct kbest b = replications_kbest(x, COUNT(x), 3, 0.001);
		converged += b.measurements > 0;
		right += b.measurements && fabs(b.value - 1000) < 1;
	}
	/* fewer than 3 of 20 undisturbed: binomial, 1.8 % */
	assert_in_range(converged, 965, 995);
	assert_int_equal(right, converged);
}

/* ---- The mean and its interval ---- */

/* "If we repeat this 10 times and average, a typical result is": ten values that
 * the lecture prints. The mean and half width are not printed; by hand, sum 9.80,
 * squares about the mean 0.1560, s = 0.131656, t_{9,0.975} = 2.262157. */
static const double typical[] = {1.20, 1.00, 0.70, 0.90, 1.00, 1.00, 0.90, 1.00, 1.10, 1.00};
/* "Note: typical is not always": squares about 1.99 sum to 92.249. */
static const double disturbed[] = {11.10, 0.90, 1.10, 0.90, 0.90, 1.00, 1.00, 1.00, 1.00, 1.00};

static void test_half_width_of_feitelsons_averages(void **state)
{
	struct replications_mean m = replications_mean(typical, 10, 0.95);

	(void)state;
	assert_float_equal(m.mean, 0.98, 1e-12);
	assert_float_equal(m.error, 0.131656 / sqrt(10), 1e-6);
	assert_float_equal(m.high - m.mean, 2.262157 * 0.131656 / sqrt(10), 1e-6);
	assert_float_equal(m.mean - m.low, m.high - m.mean, 1e-6);
	m = replications_mean(disturbed, 10, 0.95);
	assert_float_equal(m.mean, 1.99, 1e-12);
	/* not clamped, though no time is negative: the caller may be subtracting */
	assert_float_equal(m.low, 1.99 - 2.262157 * 3.201545 / sqrt(10), 1e-5);
	assert_true(m.low < 0);
	/* t_{9,0.95} = 1.833113: the slides' 90 % */
	m = replications_mean(typical, 10, 0.90);
	assert_float_equal(m.high - m.mean, 1.833113 * 0.131656 / sqrt(10), 1e-6);
}

static void test_mean_of_one_and_none(void **state)
{
	struct replications_mean m = replications_mean(typical, 1, 0.95);

	(void)state;
	assert_float_equal(m.mean, 1.2, 0);
	assert_true(isinf(m.high) && isinf(m.low) && m.low < 0);
	assert_true(isnan(replications_mean(typical, 0, 0.95).mean));
}

static void test_interval_covers_as_often_as_it_says(void **state)
{
	double x[10];
	int covered = 0;

	(void)state;
	seed = 2;
	for (int trial = 0; trial < 20000; trial++) {
		for (size_t i = 0; i < COUNT(x); i++)
			x[i] = 5 + normal();
		struct replications_mean m = replications_mean(x, COUNT(x), 0.95);
		covered += m.low <= 5 && 5 <= m.high;
	}
	/* 0.95 +- four standard errors */
	assert_in_range(covered, 18877, 19123);
}

/* ---- Outliers ---- */

static double fence_of(const double *x, size_t n, double resolution)
{
	double sorted[64] = {0};

	for (size_t i = 0; i < n; i++)
		sorted[i] = x[i];
	qsort(sorted, n, sizeof(*sorted), ascending);
	return replications_fence(sorted, n, resolution);
}

/* Both of Feitelson's tens have quartiles 0.925 and 1.000: fence 1.225. Of the
 * first nothing lies above, of the second the average with the interference. */
static void test_fence_of_feitelsons_averages(void **state)
{
	(void)state;
	assert_float_equal(fence_of(typical, 10, 0), 1.225, 1e-12);
	assert_float_equal(fence_of(disturbed, 10, 0), 1.225, 1e-12);
}

static void test_fence_leaves_room_for_the_clocks_step(void **state)
{
	static const double ticks[] = {5, 5, 5, 5, 5, 5, 5, 6};

	(void)state;
	assert_float_equal(fence_of(ticks, COUNT(ticks), 0), 5, 0);
	assert_float_equal(fence_of(ticks, COUNT(ticks), 1), 8, 0);
	assert_true(isinf(fence_of(ticks, 3, 1)));
}

/* Of 30 normal values, one beyond Q3 + 3 IQR is rare: listed is what was disturbed. */
static void test_fence_seldom_catches_the_innocent(void **state)
{
	double x[30];
	int caught = 0;

	(void)state;
	seed = 3;
	for (int trial = 0; trial < 10000; trial++) {
		double fence;

		for (size_t i = 0; i < COUNT(x); i++)
			x[i] = 100 + normal();
		fence = fence_of(x, COUNT(x), 0);
		for (size_t i = 0; i < COUNT(x); i++)
			caught += x[i] > fence;
	}
	assert_in_range(caught, 0, 100); /* 1 % of the series */
}

static void test_quantiles_between_values(void **state)
{
	static const double sorted[] = {1, 2, 4, 8};

	(void)state;
	assert_float_equal(replications_quantile(sorted, 4, 0), 1, 0);
	assert_float_equal(replications_quantile(sorted, 4, 0.5), 3, 1e-12);
	assert_float_equal(replications_quantile(sorted, 4, 0.75), 5, 1e-12);
	assert_float_equal(replications_quantile(sorted, 4, 1), 8, 0);
}

/* ---- Drift and dependence ---- */

static void test_drift_by_hand(void **state)
{
	static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8},
			    falling[] = {4, 4, 3, 3, 2, 2, 1, 1};
	static const double level[] = {3, 3, 3, 3, 3, 3, 3, 3};
	double scratch[8];
	struct replications_drift d = replications_drift(rising, 8, scratch);

	(void)state;
	/* S = 28, variance 8 7 21 / 18: z = 27 / 8.08290 */
	assert_float_equal(d.p, 0.000837, 1e-6);
	assert_float_equal(d.change, 7.5 / 1.5 - 1, 1e-12);
	/* S = -24, variance (1176 - 4 x 18) / 18: z = 23 / 7.83156 */
	d = replications_drift(falling, 8, scratch);
	assert_float_equal(d.p, 0.003316, 1e-6);
	assert_float_equal(d.change, 1.0 / 4 - 1, 1e-12);
	d = replications_drift(level, 8, scratch);
	assert_float_equal(d.p, 1, 0);
	assert_float_equal(d.change, 0, 0);
	assert_true(isnan(replications_drift(rising, 7, scratch).p));
}

static void test_dependence_by_hand(void **state)
{
	static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
			    level[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
			    pairs[] = {1, 1, 2, 2, 1, 1, 2, 2, 1, 1};

	(void)state;
	/* ratio 9 / 82.5, variance 4 8 471 / (5 10 11 81): z = -3.25087 */
	assert_float_equal(replications_dependence(rising, 10), 0.000575, 1e-6);
	assert_true(isnan(replications_dependence(level, 10)));
	assert_true(isnan(replications_dependence(rising, 9)));
	/* midranks 3.5 and 8.5: four steps of 5 over 10 deviations, 6 x 4 + 4 x 9: 5/3 */
	assert_float_equal(replications_dependence(pairs, 10), 0.283, 1e-3);
}

/* Shares of series of 30 that the tests call moving and dependent, at 1 %. */
static void alarms(double phi, double slope, int trials, double *moving, double *dependent)
{
	double x[30], scratch[30], last;

	*moving = *dependent = 0;
	for (int trial = 0; trial < trials; trial++) {
		last = normal() / sqrt(1 - phi * phi);
		for (size_t i = 0; i < COUNT(x); i++) {
			last = phi * last + normal();
			x[i] = 100 + last + slope * (double)i;
		}
		*moving += (replications_drift(x, COUNT(x), scratch).p < 0.01) / (double)trials;
		*dependent += (replications_dependence(x, COUNT(x)) < 0.01) / (double)trials;
	}
}

static void test_false_alarms_are_as_rare_as_they_should_be(void **state)
{
	double moving, dependent;

	(void)state;
	seed = 4;
	alarms(0, 0, 10000, &moving, &dependent);
	assert_float_equal(moving, 0.01, 0.004);
	assert_float_equal(dependent, 0.01, 0.004);
}

static void test_what_moves_or_hangs_together_is_found(void **state)
{
	double moving, dependent;

	(void)state;
	seed = 5;
	alarms(0, 0.15, 1000, &moving, &dependent); /* 4.5 deviations from end to end */
	assert_true(moving > 0.95);
	alarms(0.8, 0, 1000, &moving, &dependent);
	assert_true(dependent > 0.85);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_k_best_stops_where_three_agree),
		cmocka_unit_test(test_k_best_says_when_it_did_not_converge),
		cmocka_unit_test(test_k_best_counts_anew_from_a_faster_value),
		cmocka_unit_test(test_k_best_does_not_believe_a_slow_phase),
		cmocka_unit_test(test_k_best_with_ties_and_few),
		cmocka_unit_test(test_k_best_survives_heavy_load),
		cmocka_unit_test(test_half_width_of_feitelsons_averages),
		cmocka_unit_test(test_mean_of_one_and_none),
		cmocka_unit_test(test_interval_covers_as_often_as_it_says),
		cmocka_unit_test(test_fence_of_feitelsons_averages),
		cmocka_unit_test(test_fence_leaves_room_for_the_clocks_step),
		cmocka_unit_test(test_fence_seldom_catches_the_innocent),
		cmocka_unit_test(test_quantiles_between_values),
		cmocka_unit_test(test_drift_by_hand),
		cmocka_unit_test(test_dependence_by_hand),
		cmocka_unit_test(test_false_alarms_are_as_rare_as_they_should_be),
		cmocka_unit_test(test_what_moves_or_hangs_together_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
