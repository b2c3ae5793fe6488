// SPDX-License-Identifier: GPL-3.0-or-later
/* The test of uniform phases: its false alarms and what it finds, by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/simulate.h"
#include "stats/mean/phase_test.h"

#define BINS 32

/* The p-value depends on the counts by their coincidences alone: computing each once
 * makes many replications of the exact (slower) case cheap. */
static double p_of(const uint64_t *count, unsigned total)
{
	static double known[65][65 * 64 / 2];
	unsigned pairs = 0;

	if (total > 64)
		return phase_test_p(count, BINS);
	for (unsigned i = 0; i < BINS; i++)
		pairs += (unsigned)(count[i] * (count[i] - 1) / 2);
	if (known[total][pairs] == 0)
		known[total][pairs] = phase_test_p(count, BINS);
	return known[total][pairs];
}

/* `total` samples, each from one of `phases` equally spaced phases (0: any), that are
 * smeared by `jitter` of a tick; a share `other` of them from anywhere. */
static void sample(struct simulate *s, uint64_t *count, unsigned total, unsigned phases,
		   double jitter, double other)
{
	double offset = simulate_uniform(s);

	memset(count, 0, BINS * sizeof *count);
	for (unsigned i = 0; i < total; i++) {
		double phase = simulate_uniform(s);

		if (phases && simulate_uniform(s) >= other)
			phase = offset + floor(phase * phases) / phases +
				jitter * simulate_uniform(s);
		count[(unsigned)((phase - floor(phase)) * BINS) % BINS]++;
	}
}

static unsigned alarms(uint64_t seed, double level, unsigned trials, unsigned total,
		       unsigned phases, double jitter, double other)
{
	struct simulate s = {seed};
	uint64_t count[BINS];
	unsigned hits = 0;

	for (unsigned i = 0; i < trials; i++) {
		sample(&s, count, total, phases, jitter, other);
		hits += p_of(count, total) < level;
	}
	return hits;
}

/* Exact totals keep the level from below; larger ones come as near to it as stats/mean/phase_test.h
 * promises. */
static void test_false_alarms_are_as_many_as_the_level_says(void **state)
{
	static const struct {
		unsigned total, trials;
		double low[2], high[2]; /* at 1 %, at 0.1 % */
	} row[] = {
		{8, 60000, {0.002, 0.0002}, {0.01, 0.001}},
		{16, 60000, {0.006, 0.0004}, {0.01, 0.001}},
		{32, 40000, {0.006, 0.0006}, {0.01, 0.001}},
		{64, 40000, {0.007, 0.0007}, {0.01, 0.001}},
		{80, 40000, {0.009, 0.0009}, {0.0105, 0.00125}},
		{256, 20000, {0.009, 0.0009}, {0.0105, 0.0012}},
		{10000, 2000, {0.009, 0.0009}, {0.011, 0.0012}},
	};
	char what[64];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		for (unsigned k = 0; k < 2; k++) {
			snprintf(what, sizeof what, "%u uniform phases, level %s", row[i].total,
				 k ? "0.1 %" : "1 %");
			simulate_assert_rate(what,
					     alarms(11 + i, k ? 0.001 : 0.01, row[i].trials,
						    row[i].total, 0, 0, 0),
					     row[i].trials, row[i].low[k], row[i].high[k]);
		}
}

/* Calls that follow the tick by a delay that varies by a twentieth of it, and some that do
 * not follow it. */
static void test_a_program_paced_by_the_tick_is_found(void **state)
{
	(void)state;
	simulate_assert_rate("8 samples, all behind the tick",
			     alarms(31, 0.001, 2000, 8, 1, 0.05, 0), 2000, 0.999, 1);
	simulate_assert_rate("64 samples, a third behind the tick",
			     alarms(32, 0.001, 2000, 64, 1, 0.05, 0.67), 2000, 0.98, 1);
	simulate_assert_rate("10000 samples, 5 % behind the tick",
			     alarms(33, 0.001, 200, 10000, 1, 0.05, 0.95), 200, 0.999, 1);
}

static void test_equally_spaced_phases_are_found(void **state)
{
	static const struct {
		unsigned phases, total;
	} row[] = {{2, 16}, {3, 16}, {4, 24}, {5, 32}, {8, 64}, {11, 100}, {16, 200}};
	/* 16 phases that all lie on edges of the 32 bins look even: one offset in six here */
	const double edge = 16 * 2 * 0.005;
	char what[64];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		snprintf(what, sizeof what, "%u phases, %u samples", row[i].phases, row[i].total);
		simulate_assert_rate(
			what, alarms(50 + i, 0.001, 1000, row[i].total, row[i].phases, 0.005, 0),
			1000, row[i].phases == 16 ? 1 - edge : 0.98, 1);
	}
}

static void test_small_totals_are_exact(void **state)
{
	uint64_t count[BINS] = {0};
	double distinct = 1;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		count[3 * i] = 1;
		distinct *= (32.0 - i) / 32;
	}
	assert_float_equal(phase_test_p(count, BINS), 1, 1e-12);
	count[0] = 2; /* one pair: anything but eight different bins is as uneven */
	count[21] = 0;
	assert_float_equal(phase_test_p(count, BINS), 1 - distinct, 1e-12);
	memset(count, 0, sizeof count);
	count[7] = 8;
	assert_float_equal(phase_test_p(count, BINS), pow(1 / 32.0, 7), 1e-13);
	/* two bins: 9 and 1 or 10 and 0, twenty-two of the 1024 sequences */
	count[0] = 9;
	count[1] = 1;
	assert_float_equal(phase_test_p(count, 2), 22 / 1024.0, 1e-12);
}

static void test_even_counts_are_no_alarm(void **state)
{
	uint64_t count[BINS];

	(void)state;
	for (unsigned i = 0; i < BINS; i++)
		count[i] = 1000000;
	assert_true(phase_test_p(count, BINS) > 0.999);
	assert_true(phase_test_unevenness(count, BINS) == 0);
}

static void test_too_few_samples_say_nothing(void **state)
{
	uint64_t count[BINS] = {7};

	(void)state;
	assert_true(isnan(phase_test_p(count, BINS)));
	assert_true(isnan(phase_test_unevenness(count, BINS)));
	count[5] = 1;
	assert_false(isnan(phase_test_p(count, BINS)));
	assert_true(isnan(phase_test_p(count, 1)));
}

static void test_unevenness_does_not_grow_with_the_samples(void **state)
{
	uint64_t count[BINS] = {0};

	(void)state;
	for (uint64_t n = 100; n < UINT64_C(10000000000000); n *= 1000) {
		memset(count, 0, sizeof count);
		count[31] = n;
		assert_float_equal(phase_test_unevenness(count, BINS), sqrt(31), 1e-9);
		for (unsigned i = 0; i < BINS; i++)
			count[i] = n * (i % 2 ? 110 : 90);
		assert_float_equal(phase_test_unevenness(count, BINS), 0.1, 0.002);
	}
	assert_true(phase_test_p(count, BINS) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_alarms_are_as_many_as_the_level_says),
		cmocka_unit_test(test_a_program_paced_by_the_tick_is_found),
		cmocka_unit_test(test_equally_spaced_phases_are_found),
		cmocka_unit_test(test_small_totals_are_exact),
		cmocka_unit_test(test_even_counts_are_no_alarm),
		cmocka_unit_test(test_too_few_samples_say_nothing),
		cmocka_unit_test(test_unevenness_does_not_grow_with_the_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
