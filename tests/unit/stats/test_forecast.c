// SPDX-License-Identifier: GPL-3.0-or-later
/* A forecast is true when a second measurement of the length it asks for comes out as
 * wide as was asked: measured twice by simulation, with the estimates of the product. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "tests/unit/support/simulate.h"
#include "stats/mean/replications.h"
#include "stats/mean/mean_interval.h"
#include "stats/planning/plan.h"
#include "stats/stats.h"

#define BATCHES 50
#define REPEATS 200

/* Durations in ticks. */
struct law {
	double mean;
	bool exponential;
};

static double duration(const struct law *law, struct simulate *random)
{
	return law->exponential ? law->mean * simulate_exponential(random) : law->mean;
}

static struct mean_interval measure(const struct law *law, uint64_t n, struct simulate *random)
{
	struct stats_sample sample = {.sums = {.n = n, .min = UINT64_MAX, .tick = 1, .unit = 1}};
	uint64_t batch[BATCHES] = {0}, each = n / BATCHES;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t c = simulate_ticks(random, duration(law, random), 1);

		sample.sums.sum += c;
		sample.sums.sum_sq += (stats_u128)c * c;
		sample.sums.min = c < sample.sums.min ? c : sample.sums.min;
		sample.sums.max = c > sample.sums.max ? c : sample.sums.max;
		if (each && i / each < BATCHES)
			batch[i / each] += c;
	}
	sample.batches = (struct stats_batches){each, each ? BATCHES : 0, batch};
	return mean_interval_estimate(&sample, 0.95);
}

static double total_width(const struct mean_interval *e)
{
	return (e->high - e->low) / e->mean;
}

static double forecast(const struct mean_interval *e, uint64_t n, double p)
{
	struct stats_finished f = {(double)n, e->mean, e->low, e->high, e->error, e->freedom, 0};

	return plan_calls_forecast(&f, 0.95, p);
}

/* Measure n calls, ask what p needs, measure that: the widths that come out, over what
 * was asked, on (geometric) average; and how many are at most 1.4 times as wide. */
static double width_over_asked(const struct law *law, uint64_t n, double p, unsigned *near)
{
	struct simulate random = {(uint64_t)(law->mean * 1000) + n};
	double sum = 0;

	*near = 0;
	for (int i = 0; i < REPEATS; i++) {
		struct mean_interval first = measure(law, n, &random), second;

		second = measure(law, (uint64_t)ceil(forecast(&first, n, p)), &random);
		sum += log(total_width(&second) / p);
		*near += total_width(&second) <= 1.4 * p;
	}
	return exp(sum / REPEATS);
}

static void test_the_planned_calls_give_the_width_asked_for(void **state)
{
	static const struct {
		struct law law;
		uint64_t n;
		double p;
	} plan[] = {
		{{0.05, false}, 10000, 0.1}, /* from 500 ticks */
		/* From 40 ticks, whose interval allows for a dependence that so few cannot
		 * disprove, or is wide because so few look contiguous now and then. */
		{{0.05, false}, 800, 0.3},
		{{0.05, false}, 400, 0.6},  /* from 20 to some 45 */
		{{0.3, true}, 2000, 0.06},  /* two random things */
		{{7.5, true}, 300, 0.08},   /* the tick hardly matters */
		{{400, true}, 100, 0.1},    /* a fast clock */
		{{1.5, false}, 1000, 0.03}, /* calls of one tick or two */
	};

	(void)state;
	for (size_t i = 0; i < sizeof plan / sizeof plan[0]; i++) {
		unsigned near;
		double ratio = width_over_asked(&plan[i].law, plan[i].n, plan[i].p, &near);

		/* 50 batches: the reserve is a factor of 0.90 on average */
		assert_near(ratio, 0.9, 0.1);
		simulate_assert_rate("at most 1.4 times as wide", near, REPEATS, 0.95, 1);
	}
}

/* Chi-square of 10 degrees is above 6.179 in 80 of 100. */
static void test_an_uncertain_error_is_met_by_more_calls(void **state)
{
	struct stats_finished f = {1000, 100, 80, 120, 10, INFINITY, 0};
	double sure = plan_calls_forecast(&f, 0.95, 0.04);

	(void)state;
	f.freedom = 10;
	assert_near(plan_calls_forecast(&f, 0.95, 0.04) / sure, 10 / 6.179, 0.01);
	f.freedom = 1; /* as 2: -2 ln 0.8 = 0.446 */
	assert_near(plan_calls_forecast(&f, 0.95, 0.04) / sure, 2 / 0.446, 0.1);
}

static void test_nothing_more_is_needed_where_it_is_reached(void **state)
{
	struct stats_finished f = {1000, 100, 96, 104, 2, INFINITY, 0};

	(void)state;
	assert_near(plan_calls_forecast(&f, 0.95, 0.08), 1000, 0);
	assert_true(plan_calls_forecast(&f, 0.95, 0.0799) > 1000);
}

/* By the square root: half the width, four times the calls. */
static void test_wide_samples_follow_the_square_root(void **state)
{
	double q = replications_half_width(sqrt(41), 41, 0.95);
	struct stats_finished f = {1000, 100, 100 - 5 * q, 100 + 5 * q, 5, INFINITY, 0};

	(void)state;
	assert_near(plan_calls_forecast(&f, 0.95, 0.05 * q), 4000, 1e-6);
	assert_near(plan_calls_forecast(&f, 0.95, 0.01 * q), 100000, 1e-4);
}

/* 20 ticks: 12.2 to 30.9 (Poisson). The surplus over q s falls faster than the rest: it takes
 * fewer calls than the width now, and more than the standard error alone, would ask for. */
static void test_the_surplus_of_few_ticks_falls_faster(void **state)
{
	double q = replications_half_width(sqrt(41), 41, 0.95), s = sqrt(20),
	       half = (30.9 - 12.2) / 2;
	struct stats_finished f = {1000, 20, 12.2, 30.9, s, INFINITY, 0};
	double n = plan_calls_forecast(&f, 0.95, 0.2), u = sqrt(1000 / n);

	(void)state;
	assert_true(n < 0.98 * 1000 * pow(half / 2, 2));
	assert_true(n > 1.005 * 1000 * pow(q * s / 2, 2));
	assert_near(s * u * (q + (half / s - q) * u), 2, 1e-9);
}

/* What was subtracted has an error that no number of calls reduces. */
static void test_the_error_of_the_overhead_stays(void **state)
{
	double z = plan_two_sided_z(0.95);
	double half = z * 5; /* of error 5: 3 of the calls, 4 fixed */
	struct stats_finished f = {1000, 100, 100 - half, 100 + half, 5, INFINITY, 4};
	double n = plan_calls_forecast(&f, 0.95, 2 * z * 4.1 / 100);

	(void)state;
	assert_true(isinf(plan_calls_forecast(&f, 0.95, 2 * z * 3.99 / 100)));
	/* 3 must become sqrt(4.1^2 - 4^2) = 0.9; t of 40 degrees is 3 % more than z */
	assert_near(n, 1000 * 9 / 0.81 * pow(replications_half_width(sqrt(41), 41, 0.95) / z, 2),
		    1e-6);
}

static void test_nothing_to_go_by(void **state)
{
	const struct stats_finished none[] = {
		{1000, -1, -3, 1, 1, 9, 0},	     {1000, 0, 0, 0.1, 0.1, 9, 0},
		{1, 5, 0, INFINITY, INFINITY, 9, 0}, {1000, 5, NAN, NAN, 1, 9, 0},
		{1000, 5, 0, INFINITY, 1, 9, 0},     {1, 5, 1, 9, 1, 9, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_true(isnan(plan_calls_forecast(&none[i], 0.95, 0.1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_planned_calls_give_the_width_asked_for),
		cmocka_unit_test(test_an_uncertain_error_is_met_by_more_calls),
		cmocka_unit_test(test_nothing_more_is_needed_where_it_is_reached),
		cmocka_unit_test(test_wide_samples_follow_the_square_root),
		cmocka_unit_test(test_the_surplus_of_few_ticks_falls_faster),
		cmocka_unit_test(test_the_error_of_the_overhead_stays),
		cmocka_unit_test(test_nothing_to_go_by),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
