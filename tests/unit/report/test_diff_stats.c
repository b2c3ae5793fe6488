// SPDX-License-Identifier: GPL-3.0-or-later
/* The statistics of comparisons against published examples, and against values
 * worked out by other means (direct sums of binomial probabilities, root finding on
 * the defining equations). */
#include "tests/unit/support/near.h"

#include <string.h>

#include "stats/compare/between_runs.h"
#include "stats/compare/compare.h"
#include "stats/numerics/distributions.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct compare_mean mean_of(const double *x, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
	return (struct compare_mean){sum / (double)n, sqrt(squares / (double)(n - 1) / (double)n),
				     (double)n - 1};
}

/* Student's (1908) hours of sleep gained with two drugs, as two samples: the example of
 * R's t.test, which prints t = -1.8608, df = 17.776, p-value = 0.07939. */
static void test_welch_of_students_sleep(void **state)
{
	static const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
	static const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	struct compare_mean base = mean_of(first, 10), new = mean_of(second, 10);
	struct compare_null none = {1, 1, 0, INFINITY};

	(void)state;
	assert_near(compare_ratio_p(&base, &new, &none), 0.07939, 5e-6);
}

/* Benjamini and Hochberg (1995), section 3.2: of 15 comparisons of treatments of
 * myocardial infarction their procedure rejects four, Bonferroni's three. */
static void test_q_values_of_benjamini_and_hochberg(void **state)
{
	static const double p[] = {0.4262, 0.0001, 0.5719, 0.0004, 0.0278, 0.0019, 1.0000, 0.0095,
				   0.0201, 0.3240, 0.0298, 0.0344, 0.6528, 0.0459, 0.7590};
	double q[15];
	int rejected = 0;

	(void)state;
	memcpy(q, p, sizeof(q));
	assert_int_equal(distributions_q_values(q, 15), 0);
	for (int i = 0; i < 15; i++) {
		rejected += q[i] <= 0.05;
		assert_int_equal(q[i] <= 0.05, p[i] <= 0.0095);
	}
	assert_int_equal(rejected, 4);
	assert_near(q[7], 0.0095 * 15 / 4, 1e-12); /* the fourth smallest */
	assert_near(q[8], 0.0201 * 15 / 5, 1e-12); /* 0.0603: no more */
	assert_near(q[4], 0.0298 * 15 / 7, 1e-12); /* the sixth takes what the seventh allows */
	assert_near(q[6], 1, 0);
}

static void test_what_is_no_test_is_not_counted(void **state)
{
	double q[] = {0.01, NAN, 0.04, NAN};

	(void)state;
	assert_int_equal(distributions_q_values(q, 4), 0);
	assert_near(q[0], 0.02, 1e-15);
	assert_near(q[2], 0.04, 1e-15);
	assert_true(isnan(q[1]) && isnan(q[3]));
}

/* Worked out with scipy from the definitions. */
static void test_ratio_against_a_range(void **state)
{
	struct compare_mean base = {100, 2, 40}, new = {112, 3, 25};
	struct compare_null none = {1, 1, 0, INFINITY}, range = {1 / 1.02, 1.02, 0, INFINITY};
	struct compare_null runs = {1 / 1.02, 1.02, 1e-4, 10};
	double low, high;

	(void)state;
	assert_near(compare_ratio_p(&base, &new, &none), 0.001717241675395877, 1e-12);
	assert_near(compare_ratio_p(&base, &new, &range), 0.004300410259427037, 1e-12);
	assert_near(compare_ratio_p(&base, &new, &runs), 0.013952219556206442, 1e-12);
	compare_ratio_limits(&base, &new, &none, 0.95, &low, &high);
	assert_near(low, 1.0465545137435037, 1e-10);
	assert_near(high, 1.197063307476185, 1e-10);
}

/* The limits are those ratios that a test at the same level just does not reject. */
static void test_limits_are_where_the_test_turns(void **state)
{
	struct compare_mean base = {100, 2, 40}, new = {96, 3, 25};
	struct compare_null none = {1, 1, 4e-4, 12};
	double low, high;

	(void)state;
	compare_ratio_limits(&base, &new, &none, 0.95, &low, &high);
	none.low = none.high = low;
	assert_near(compare_ratio_p(&base, &new, &none), 0.05, 1e-6);
	none.low = none.high = high;
	assert_near(compare_ratio_p(&base, &new, &none), 0.05, 1e-6);
}

static void test_a_side_that_may_be_nothing(void **state)
{
	struct compare_mean nothing = {-1, 2, 40}, something = {100, 3, 40},
			    unknown = {5, INFINITY, 0};
	struct compare_null none = {1, 1, 0, INFINITY};
	double low, high;

	(void)state;
	compare_ratio_limits(&nothing, &something, &none, 0.95, &low, &high);
	assert_near(low, 0, 0);
	assert_true(isinf(high));
	assert_true(compare_ratio_p(&nothing, &something, &none) < 1e-12);
	assert_near(compare_ratio_p(&unknown, &something, &none), 1, 0);
	assert_near(compare_ratio_p(&something, &unknown, &none), 1, 0);
	/* less the overhead, what is new may be below 0: its ratio is not */
	nothing.mean = -6;
	compare_ratio_limits(&something, &nothing, &none, 0.95, &low, &high);
	assert_near(low, 0, 0);
	assert_true(high > 0 && high < 0.05);
}

/* Events 5 and 15: sums of binomial probabilities. */
static void test_counts(void **state)
{
	struct compare_count five = {5, 100}, fifteen = {15, 100}, longer = {15, 200};
	struct compare_null none = {1, 1, 0, INFINITY}, range = {1 / 1.1, 1.1, 0, INFINITY};
	double low, high;

	(void)state;
	assert_near(compare_counts_p(&five, &fifteen, &none), 0.026603698730468747, 1e-12);
	assert_near(compare_counts_p(&fifteen, &five, &none), 0.026603698730468747, 1e-12);
	assert_near(compare_counts_p(&five, &fifteen, &range), 0.029811352255989555, 1e-12);
	assert_near(compare_counts_p(&five, &longer, &range), 0.45638644521545246, 1e-12);
	compare_counts_limits(&five, &fifteen, &none, 0.95, &low, &high);
	assert_near(low, 1.1266469306170752, 1e-8);
	assert_near(high, 9.218670876930302, 1e-7);
	/* Twice the exposure, half the ratio. */
	compare_counts_limits(&five, &longer, &none, 0.95, &low, &high);
	assert_near(low, 1.1266469306170752 / 2, 1e-8);
}

static void test_counts_of_nothing(void **state)
{
	struct compare_count zero = {0, 100}, eight = {8, 100};
	struct compare_null none = {1, 1, 0, INFINITY}, runs = {1, 1, 1, INFINITY};
	double low, high;

	(void)state;
	assert_near(compare_counts_p(&zero, &zero, &none), 1, 0);
	/* 2 x half of 2^-8 */
	assert_near(compare_counts_p(&zero, &eight, &none), 1.0 / 256, 1e-15);
	assert_near(compare_counts_p(&eight, &zero, &none), 1.0 / 256, 1e-15);
	assert_true(compare_counts_p(&zero, &eight, &runs) >
		    1.0 / 32); /* they scatter from run to run */
	compare_counts_limits(&zero, &eight, &none, 0.95, &low, &high);
	assert_true(low > 1 && isinf(high));
	compare_counts_limits(&zero, &zero, &none, 0.95, &low, &high);
	assert_true(low == 0 && isinf(high));
}

/* Thirteen trials of BCG vaccine (Colditz et al. 1994), log relative risks and their
 * variances from the four counts each. Published by the R package metafor:
 * Paule-Mandel tau^2 = 0.3181, estimate -0.7150. */
static void test_random_effects_of_thirteen_trials(void **state)
{
	static const double trial[13][4] = {
		{4, 123, 11, 139},	 {6, 306, 29, 303},	   {3, 231, 11, 220},
		{62, 13598, 248, 12867}, {33, 5069, 47, 5808},	   {180, 1541, 372, 1451},
		{8, 2545, 10, 629},	 {505, 88391, 499, 88391}, {29, 7499, 45, 7277},
		{17, 1716, 65, 1665},	 {186, 50634, 141, 27338}, {5, 2498, 3, 2341},
		{27, 16913, 29, 17854},
	};
	double y[13], v[13];
	struct between_runs_effects e;

	(void)state;
	for (int i = 0; i < 13; i++) {
		const double *c = trial[i];

		y[i] = log(c[0] / c[1] / (c[2] / c[3]));
		v[i] = 1 / c[0] - 1 / c[1] + 1 / c[2] - 1 / c[3];
	}
	e = between_runs_effects(y, v, 13, 13);
	assert_near(e.variance, 0.3180684522051749, 1e-8);
	assert_near(e.centre, -0.7149681534934575, 1e-8);
	assert_near(e.centre_variance, 0.03272198495929678, 1e-8);
	e = between_runs_effects(y, v, 13, 3);
	assert_int_equal(e.n, 12);
	assert_near(e.variance, 0.2873976079427343, 1e-8);
	assert_near(e.centre, -0.6326109054034603, 1e-8);
}

static void test_random_effects_at_the_edges(void **state)
{
	static const double y[] = {1, 1.1, 0.9}, v[] = {1, 1, 1};
	struct between_runs_effects e = between_runs_effects(y, v, 3, 3);

	(void)state;
	assert_near(e.variance, 0, 0); /* scatters less than its errors */
	assert_near(e.centre, 1, 1e-12);
	assert_near(e.centre_variance, 1.0 / 3, 1e-12);
	assert_true(isnan(between_runs_effects(y, v, 1, 1).variance));
	assert_true(isnan(between_runs_effects(y, v, 2, 0).variance));
}

/* Smyth's equations solved with scipy's digamma and polygamma. */
static void test_moderated_variances(void **state)
{
	static const double s2[] = {1.2, 0.8, 3.1, 0.05, 2.2, 0.9, 6.5, 0.4, 1.1, 0.7};
	static const double freedom[] = {4, 4, 4, 4, 4, 4, 6, 6, 2, 2};
	static const double equal[] = {1, 1.1, 0.9, 1};
	struct between_runs_prior prior = between_runs_prior(s2, freedom, 10);

	(void)state;
	assert_near(prior.variance, 0.9050397746964364, 1e-8);
	assert_near(prior.freedom, 3.070063937110435, 1e-7);
	assert_near(between_runs_moderated(&prior, 1.2, 4), 1.071918166703802, 1e-8);
	prior = between_runs_prior(equal, freedom, 4);
	assert_true(isinf(prior.freedom)); /* they differ less than chance alone would make them */
	assert_near(between_runs_moderated(&prior, 1.1, 4), prior.variance, 0);
	prior = between_runs_prior(s2, freedom, 1);
	assert_near(between_runs_moderated(&prior, 1.2, 4), 1.2, 0);
}

static void test_detectable_is_margin_and_quantiles_of_errors(void **state)
{
	(void)state;
	/* t(27) at 1 - 0.05/60 and at 0.95 */
	assert_near(compare_detectable(0.01, 27, 0.01, 30, 0.95, 0.95),
		    0.01 + 0.01 * (3.4921775 + 1.7032884), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch_of_students_sleep),
		cmocka_unit_test(test_q_values_of_benjamini_and_hochberg),
		cmocka_unit_test(test_what_is_no_test_is_not_counted),
		cmocka_unit_test(test_ratio_against_a_range),
		cmocka_unit_test(test_limits_are_where_the_test_turns),
		cmocka_unit_test(test_a_side_that_may_be_nothing),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_counts_of_nothing),
		cmocka_unit_test(test_random_effects_of_thirteen_trials),
		cmocka_unit_test(test_random_effects_at_the_edges),
		cmocka_unit_test(test_moderated_variances),
		cmocka_unit_test(test_detectable_is_margin_and_quantiles_of_errors),
	};

	return cmocka_run_group_tests_name("diff: statistics", tests, NULL, NULL);
}
