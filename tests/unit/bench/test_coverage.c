// SPDX-License-Identifier: GPL-3.0-or-later
/* The coverage study's short cuts make the same replications as its programs walked call by call.
 * Seeds are fixed: a cell agrees always or never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/bench/coverage/check.h"
#include "tests/bench/coverage/percentile_program.h"

#define REPLICATIONS 200

static void check(enum law_kind law, double mean, enum dependence dependence, bool randomised,
		  uint64_t n)
{
	struct cell c = {
		.law = {law, mean}, .dependence = dependence, .randomised = randomised, .n = n};
	unsigned compared = 0;

	assert_int_equal(check_cell(stderr, &c, REPLICATIONS, &compared), 0);
	assert_true(compared > 0); /* it has a short cut */
}

static void test_independent_calls_as_multinomials(void **state)
{
	(void)state;
	check(LAW_EXPONENTIAL, 0.3, DEPENDENCE_NONE, false, 1000);
	check(LAW_LOGNORMAL, 1.7, DEPENDENCE_NONE, true, 1000);
	check(LAW_BIMODAL, 30, DEPENDENCE_NONE, true, 1000);
}

static void test_constant_distances_in_closed_form(void **state)
{
	(void)state;
	check(LAW_CONSTANT, 0.3, DEPENDENCE_PERIOD_GOLDEN, false, 1000);
	check(LAW_CONSTANT, 1.7, DEPENDENCE_LOOP, false, 1000);
	check(LAW_CONSTANT, 0.1, DEPENDENCE_PERIOD_QUARTER, false, 1000);
}

static void test_few_phases_as_a_multinomial_each(void **state)
{
	(void)state;
	check(LAW_UNIFORM, 0.1, DEPENDENCE_PERIOD_QUARTER, false, 100000);
}

/* Durations that are multiples of d/20, without gaps: few phases, but no period. */
static void test_loops_of_two_durations_from_segments(void **state)
{
	(void)state;
	check(LAW_BIMODAL, 0.1, DEPENDENCE_LOOP, false, 100000);
}

static void test_even_phases_from_segments(void **state)
{
	(void)state;
	check(LAW_BIMODAL, 0.001, DEPENDENCE_PERIOD_GOLDEN, false, 100000);
}

/* No count between the grid's is without a way: batches of 512 to 2048 calls. */
static void test_any_number_of_calls_can_be_simulated(void **state)
{
	static const uint64_t n[] = {20001, 30000, 65535, 65536, 131071};

	(void)state;
	for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
		struct cell c = {
			.law = {LAW_BIMODAL, 0.1}, .dependence = DEPENDENCE_LOOP, .n = n[i]};
		struct source *s = source_create(&c, 0.01, 1, NULL);
		struct recorder r;
		struct dice d;
		uint64_t sum = 0;

		assert_non_null(s);
		dice_seed(&d, 1);
		s->draw(s, &d, &r);
		assert_in_range(r.sample.batches.count, 31, 63);
		for (uint32_t b = 0; b < r.sample.batches.count; b++)
			sum += r.batch[b];
		assert_in_range(sum, r.sample.sums.sum * 31 / 32, r.sample.sums.sum);
		free(s);
	}
}

static void test_bursts_from_segments(void **state)
{
	(void)state;
	check(LAW_EXPONENTIAL, 0.3, DEPENDENCE_BURSTS_OF_LOOPS, true, 100000);
}

/* A million calls: 1000 bursts, 50 of them slow. Buckets are 12 % wide. */
static void test_percentiles_of_programs_are_those_of_their_calls(void **state)
{
	static const unsigned dependences[] = {DEPENDENCE_LOOP, DEPENDENCE_AR1, DEPENDENCE_BURSTS,
					       DEPENDENCE_LOAD};
	static const double percentiles[] = {0.5, 0.9, 0.99};
	static struct program_run r;

	(void)state;
	for (size_t i = 0; i < sizeof dependences / sizeof dependences[0]; i++) {
		struct program p = program_make(dependences[i], LAW_EXPONENTIAL, 1000000);
		struct dice d;

		dice_seed(&d, 1);
		program_run(&p, &d, &r);
		for (size_t k = 0; k < sizeof percentiles / sizeof percentiles[0]; k++) {
			double truth = program_quantile(&p, percentiles[k]);
			double seen =
				histogram_quantile(r.tail.hist, STATS_HIST_BUCKETS, percentiles[k]);

			if (fabs(log(seen / truth)) > 0.15)
				fail_msg("%s: P%g is %g, the calls' %g", program_name(&p),
					 100 * percentiles[k], truth, seen);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_independent_calls_as_multinomials),
		cmocka_unit_test(test_constant_distances_in_closed_form),
		cmocka_unit_test(test_few_phases_as_a_multinomial_each),
		cmocka_unit_test(test_loops_of_two_durations_from_segments),
		cmocka_unit_test(test_even_phases_from_segments),
		cmocka_unit_test(test_any_number_of_calls_can_be_simulated),
		cmocka_unit_test(test_bursts_from_segments),
		cmocka_unit_test(test_percentiles_of_programs_are_those_of_their_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
