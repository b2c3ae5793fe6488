// SPDX-License-Identifier: GPL-3.0-or-later
/* The trimmed mean of a histogram: right where nothing disturbs, unmoved by what a host
 * takes away, and wider or refused where calls depend on one another. */
#include "tests/unit/support/near.h"

#include <string.h>

#include "stats/histogram/histogram.h"
#include "stats/compare/trimmed.h"

#define BATCHES 64
#define CALLS	100

static uint64_t count[STATS_HIST_BUCKETS], sums[BATCHES];
static struct stats_batches batches = {CALLS, BATCHES, sums};
static uint64_t state;

/* Marsaglia's xorshift64*, in 0 .. 1. */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (double)((state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

static void begin(void)
{
	state = 88172645463325252u;
	memset(count, 0, sizeof(count));
	memset(sums, 0, sizeof(sums));
}

static void add(int batch, double duration)
{
	uint64_t units = (uint64_t)duration;

	count[histogram_bucket(units)]++;
	sums[batch] += units;
}

/* Durations uniform in half to one and a half times `scale`; `share` of them hit by 50
 * times as much. */
static void fill(double scale, double share)
{
	begin();
	for (int i = 0; i < BATCHES * CALLS; i++) {
		double duration = scale * (0.5 + uniform());

		if (uniform() < share)
			duration += 50 * scale;
		add(i / CALLS, duration);
	}
}

/* The mean of uniform(0.5, 1.5) below its 95th percentile, 1.45, is 0.975. */
static void test_the_short_end_of_a_uniform_law(void **unused)
{
	struct trimmed u;

	(void)unused;
	for (double scale = 3000; scale < 6000; scale *= 1.1) {
		fill(scale, 0);
		assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &u), 0);
		assert_near(u.location, 0.975 * scale, 4 * u.error);
		/* 0.28 / sqrt(6400) / 0.95, and what buckets add */
		assert_near(u.error / scale, 0.0037, 0.0012);
		/* 0.0822, those beyond 1.45 being counted as that, over 0.975 squared */
		assert_near(u.spread, 0.0864, 0.004);
	}
}

static void test_what_a_host_takes_does_not_count(void **unused)
{
	struct trimmed clean, hit;

	(void)unused;
	fill(4000, 0);
	assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &clean), 0);
	fill(4000, 0.02); /* doubles the mean; 87 of 100 batches are hit */
	assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &hit), 0);
	/* The twentieth that is left out now holds them: 0.99 for 0.975. */
	assert_near(hit.location, clean.location, 0.025 * clean.location);
	/* The eight or so batches left tell the dependence badly; the mean's error is 30 times. */
	assert_true(hit.error < 3 * clean.error);
}

/* In the first half of the run calls take half as long again. */
static void test_phases_are_dependence(void **unused)
{
	struct trimmed steady, phases;

	(void)unused;
	fill(4000, 0);
	assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &steady), 0);
	begin();
	for (int i = 0; i < BATCHES * CALLS; i++)
		add(i / CALLS, (i < BATCHES * CALLS / 2 ? 6000 : 4000) * (0.5 + uniform()));
	if (trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &phases) == 0)
		assert_true(phases.error > 3 * steady.error);
}

static void test_one_bucket_is_not_known_better(void **unused)
{
	struct trimmed u;

	(void)unused;
	begin();
	for (int i = 0; i < BATCHES * CALLS; i++)
		add(i / CALLS, 4200);
	assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &u), 0);
	assert_near(u.location, 4200, 2 * u.error);
	assert_true(u.error > 0.03 * 4200);
}

static void test_too_little_says_nothing(void **unused)
{
	struct stats_batches few = {CALLS, TRIMMED_LEAST_BATCHES - 1, sums};
	struct trimmed u;

	(void)unused;
	fill(4000, 0);
	assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &few, &u), -1);
	begin();
	for (int i = 0; i < TRIMMED_LEAST - 1; i++)
		add(i / 4, 4000);
	assert_int_equal(trimmed_mean(count, STATS_HIST_BUCKETS, &batches, &u), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_short_end_of_a_uniform_law),
		cmocka_unit_test(test_what_a_host_takes_does_not_count),
		cmocka_unit_test(test_phases_are_dependence),
		cmocka_unit_test(test_one_bucket_is_not_known_better),
		cmocka_unit_test(test_too_little_says_nothing),
	};

	return cmocka_run_group_tests_name("diff: trimmed", tests, NULL, NULL);
}
