// SPDX-License-Identifier: GPL-3.0-or-later
/* The one rule for means: which method, what dependence does to the error, when
 * it warns that it is unreliable, and that the intervals cover. The full grid is
 * tests/bench/coverage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stats/histogram/histogram.h"
#include "stats/histogram/tail.h"
#include "stats/planning/plan.h"
#include "stats/mean/mean_interval.h"
#include "stats/stats.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/simulate.h"

/* What the recorder keeps of calls, as preload/table/table.c does. */
struct record {
	struct stats_sample sample;
	uint64_t sum[64], end, base;
};

static void begin(struct record *r)
{
	memset(r, 0, sizeof *r);
	r->sample.sums = (struct stats_sums){.min = UINT64_MAX, .tick = 1, .unit = 1};
	r->sample.batches = (struct stats_batches){.calls = 2, .sum = r->sum};
	r->end = 2;
}

static void add(struct record *r, uint64_t ticks)
{
	struct stats_sums *s = &r->sample.sums;
	struct stats_batches *b = &r->sample.batches;

	s->n++;
	s->sum += ticks;
	s->sum_sq += (stats_u128)ticks * ticks;
	s->min = ticks < s->min ? ticks : s->min;
	s->max = ticks > s->max ? ticks : s->max;
	if (s->n < r->end)
		return;
	r->sum[b->count] = s->sum - r->base;
	r->base = s->sum;
	if (++b->count == 64) {
		for (int i = 0; i < 32; i++)
			r->sum[i] = r->sum[2 * i] + r->sum[2 * i + 1];
		b->count = 32;
		b->calls *= 2;
	}
	r->end = s->n + b->calls;
}

enum shape { CONSTANT, UNIFORM, EXPONENTIAL, LOGNORMAL };

static double duration(struct simulate *s, enum shape shape)
{
	switch (shape) {
	case UNIFORM:
		return 2 * simulate_uniform(s);
	case EXPONENTIAL:
		return simulate_exponential(s);
	case LOGNORMAL:
		return exp(2 * simulate_normal(s) - 2);
	default:
		return 1;
	}
}

static struct mean_interval independent(struct simulate *s, struct record *r, enum shape shape,
					double mean, int n)
{
	begin(r);
	for (int i = 0; i < n; i++)
		add(r, simulate_ticks(s, mean * duration(s, shape), 1));
	return mean_interval_estimate(&r->sample, 0.95);
}

/* Call follows call: the sums are one long interval, cut into pieces. */
static struct mean_interval contiguous(struct simulate *s, struct record *r, enum shape shape,
				       double mean, int n)
{
	double at = simulate_uniform(s);

	begin(r);
	for (int i = 0; i < n; i++) {
		double from = at;

		at += mean * duration(s, shape);
		add(r, (uint64_t)(floor(at) - floor(from)));
	}
	return mean_interval_estimate(&r->sample, 0.95);
}

/* Stretches of `length` calls have a level of their own. */
static struct mean_interval bursts(struct simulate *s, struct record *r, double mean, int length,
				   int n)
{
	double level = 1;

	begin(r);
	for (int i = 0; i < n; i++) {
		if (i % length == 0)
			level = simulate_exponential(s);
		add(r, simulate_ticks(s, mean * level * simulate_exponential(s), 1));
	}
	return mean_interval_estimate(&r->sample, 0.95);
}

static void test_intervals_cover(void **state)
{
	static const struct {
		const char *what;
		enum shape shape;
		double mean;
		int n;
	} cell[] = {
		{"constant 0.3 d, n = 300", CONSTANT, 0.3, 300},
		{"constant 0.01 d, n = 1000: ten ticks", CONSTANT, 0.01, 1000},
		{"uniform 3 d, n = 100", UNIFORM, 3, 100},
		{"exponential 1.7 d, n = 300", EXPONENTIAL, 1.7, 300},
		{"exponential 10 d, n = 30", EXPONENTIAL, 10, 30},
		{"exponential 0.3 d, n = 3000", EXPONENTIAL, 0.3, 3000},
	};
	struct simulate s = {1};
	struct record r;

	(void)state;
	for (size_t c = 0; c < sizeof cell / sizeof cell[0]; c++) {
		unsigned hits = 0, doubted = 0, trials = 1000;

		for (unsigned i = 0; i < trials; i++) {
			struct mean_interval e =
				independent(&s, &r, cell[c].shape, cell[c].mean, cell[c].n);

			hits += e.low <= cell[c].mean && cell[c].mean <= e.high;
			doubted += e.unreliable != 0;
		}
		simulate_assert_rate(cell[c].what, hits, trials, 0.94, 0.995);
		simulate_assert_rate("  doubted", doubted, trials, 0, 0.05);
	}
}

/* Beilner's open question: (10a) is too wide for contiguous calls; (10c) is right. */
static void test_contiguous_calls_have_the_error_of_10c(void **state)
{
	struct simulate s = {2};
	struct record r;
	unsigned hits = 0, trials = 500;
	double error = 0, design = 0, apriori = plan_beilner_deviation(0.3, 1, 10000);
	double exact = sqrt(0.09 / 10000 + 1 / 6.0 / 1e8); /* exponential: VT is the mean squared */

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e = contiguous(&s, &r, EXPONENTIAL, 0.3, 10000);

		hits += e.low <= 0.3 && 0.3 <= e.high;
		error += e.error / trials;
		design += e.design_effect / trials;
	}
	simulate_assert_rate("contiguous exponential 0.3 d", hits, trials, 0.94, 0.975);
	assert_true(error < 1.15 * exact && error > 0.9 * exact);
	assert_true(apriori > 1.4 * exact);
	assert_true(design < 0.6); /* 0.43 by (10c) over (10a) and the spread */
}

/* 64 batches that only exchange ticks: the error is that of the two ends, not that of
 * 64 independent batches. */
static void test_exchanged_ticks_are_not_spread(void **state)
{
	struct simulate s = {3};
	struct record r;
	unsigned hits = 0, trials = 400;

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e = contiguous(&s, &r, EXPONENTIAL, 0.01, 20000);

		hits += e.low <= 0.01 && 0.01 <= e.high;
		/* 200 ticks in 20 000 calls: independent ones would have 7 % */
		assert_true(e.error < 0.03 * 0.01);
	}
	simulate_assert_rate("contiguous exponential 0.01 d", hits, trials, 0.94, 1);
}

static void test_dependence_widens(void **state)
{
	struct simulate s = {4};
	struct record r;
	unsigned hits = 0, naive = 0, trials = 300;
	double design = 0;

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e = bursts(&s, &r, 1.7, 50, 50 * 400), alone;
		struct stats_sample sums = {.sums = r.sample.sums};

		alone = mean_interval_estimate(&sums, 0.95);
		hits += e.low <= 1.7 && 1.7 <= e.high;
		naive += alone.low <= 1.7 && 1.7 <= alone.high;
		design += e.design_effect / trials;
	}
	assert_true(design > 4); /* one level for 50 calls; single estimates vary */
	simulate_assert_rate("400 bursts of 50 calls", hits, trials, 0.93, 0.98);
	simulate_assert_rate("  without batches", naive, trials, 0, 0.6);
}

/* Ten bursts have wide intervals; three are too few for any. */
static void test_few_bursts_are_covered_or_doubted(void **state)
{
	struct simulate s = {5};
	struct record r;
	unsigned covered = 0, quiet = 0, doubted = 0, trials = 300;

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e = bursts(&s, &r, 1.7, 1000, 12000);

		covered += e.low <= 1.7 && 1.7 <= e.high;
		quiet += !(e.unreliable & STATS_FEW_INDEPENDENT);
		doubted +=
			(bursts(&s, &r, 1.7, 1000, 3000).unreliable & STATS_FEW_INDEPENDENT) != 0;
	}
	simulate_assert_rate("twelve bursts of 1000 calls", covered, trials, 0.95, 1);
	simulate_assert_rate("  not doubted", quiet, trials, 0.5, 1);
	simulate_assert_rate("three bursts doubted", doubted, trials, 0.9, 1);
}

/* Pareto, as the histogram shows it: the mean is 1000 where there is one, the variance infinite.
 */
static struct mean_interval pareto(struct simulate *s, double alpha, int n)
{
	static uint64_t count[STATS_HIST_BUCKETS];
	struct record r;

	begin(&r);
	memset(count, 0, sizeof count);
	for (int i = 0; i < n; i++) {
		double d = fabs(alpha - 1) / alpha * pow(1 - simulate_uniform(s), -1 / alpha);
		uint64_t ticks = simulate_ticks(s, 1000 * d, 1);

		add(&r, ticks);
		count[histogram_bucket(ticks)]++;
	}
	r.sample.tail = tail_index_estimate(count, STATS_HIST_BUCKETS, 1);
	return mean_interval_estimate(&r.sample, 0.95);
}

static void test_heavy_tails_are_covered_or_doubted(void **state)
{
	struct simulate s = {6};
	unsigned doubted = 0, heavier = 0, covered = 0, light = 0, trials = 300;

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e = pareto(&s, 1.2, 10000);

		heavier += e.low <= 1000 && 1000 <= e.high;
		e = pareto(&s, 1.5, 10000);
		covered += e.low <= 1000 && 1000 <= e.high;
		light += (e.unreliable & STATS_HEAVY_TAIL) != 0;
		doubted += (pareto(&s, 0.5, 10000).unreliable & STATS_HEAVY_TAIL) != 0;
	}
	simulate_assert_rate("Pareto of index 1.2", heavier, trials, 0.94, 1);
	simulate_assert_rate("Pareto of index 1.5", covered, trials, 0.94, 1);
	simulate_assert_rate("  doubted", light, trials, 0, 0.05);
	simulate_assert_rate("Pareto of index 0.5, without a mean, doubted", doubted, trials, 0.75,
			     1);
}

/* By the coefficient of variation, where there is no histogram: the upper limit is further off. */
static void test_heavy_tails_without_a_histogram_are_covered(void **state)
{
	struct simulate s = {6};
	struct record r;
	unsigned covered = 0, trials = 500;

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e = independent(&s, &r, LOGNORMAL, 30, 1000);

		covered += e.low <= 30 && 30 <= e.high;
	}
	simulate_assert_rate("lognormal of sigma 2, n = 1000", covered, trials, 0.97, 1);
}

/* A call that always begins just after the tick never sees one. */
static void test_a_locked_program_is_doubted_unless_it_cannot_matter(void **state)
{
	uint64_t locked[STATS_PHASES] = {200}, even[STATS_PHASES];
	struct record r;

	(void)state;
	for (int i = 0; i < STATS_PHASES; i++)
		even[i] = 10;
	begin(&r);
	for (int i = 0; i < 5000; i++)
		add(&r, 0);
	r.sample.phase = locked;
	assert_int_equal(mean_interval_estimate(&r.sample, 0.95).unreliable, STATS_SYNCHRONOUS);
	r.sample.phase = even;
	assert_int_equal(mean_interval_estimate(&r.sample, 0.95).unreliable, 0);
	/* Durations that vary by thousands of ticks: where they begin is nothing to them. */
	begin(&r);
	for (int i = 0; i < 200; i++)
		add(&r, 10000 + (uint64_t)(i * 7919 % 200) * 50);
	r.sample.phase = locked;
	assert_int_equal(mean_interval_estimate(&r.sample, 0.95).unreliable, 0);
}

static void test_methods_follow_the_ticks(void **state)
{
	struct simulate s = {7};
	struct record r;

	(void)state;
	assert_string_equal(independent(&s, &r, CONSTANT, 0.01, 1000).method, "clopper-pearson");
	assert_string_equal(independent(&s, &r, CONSTANT, 0.4, 3000).method, "batch-t");
	assert_string_equal(independent(&s, &r, UNIFORM, 30, 20).method, "t");
	assert_true(isnan(independent(&s, &r, UNIFORM, 30, 10).design_effect));
}

/* A thread that makes too few calls for a batch: a stretch of its own. */
static void add_apart(struct record *r, uint64_t calls, uint64_t ticks_each)
{
	struct stats_apart *a = &r->sample.apart;
	struct stats_sums *s = &r->sample.sums;
	double n = (double)calls, t = n * (double)ticks_each;

	s->n += calls;
	s->sum += calls * ticks_each;
	s->sum_sq += (stats_u128)ticks_each * ticks_each * calls;
	s->max = ticks_each > s->max ? ticks_each : s->max;
	a->stretches++;
	a->calls_sq += n * n;
	a->calls_sum += n * t;
	a->sum_sq += t * t;
}

/* The mean is 1100 with it, 1000 without: nobody knows how often such a call comes. */
static void test_one_long_call_of_another_thread_is_in_the_error(void **state)
{
	struct simulate s = {71};
	struct mean_interval before, after, unknown;
	struct record r;

	(void)state;
	before = independent(&s, &r, UNIFORM, 1000, 6000);
	assert_string_equal(before.method, "batch-t");
	assert_true(before.high - before.low < 60);
	add_apart(&r, 1, 601000);
	after = mean_interval_estimate(&r.sample, 0.95);
	assert_true(fabs(after.mean - before.mean - 100) < 1);
	assert_true(after.error > 95 && after.error < 105 && after.freedom < 2.1);
	assert_true(after.low < before.mean && after.high > before.mean + 400);
	/* One call depends on no other, and makes nearly all of the calls' own variance. */
	assert_true(fabs(after.design_effect - 1) < 0.001);
	/* Of files that do not say how many stretches there are, too. */
	r.sample.apart = (struct stats_apart){0};
	unknown = mean_interval_estimate(&r.sample, 0.95);
	assert_true(fabs(unknown.error - after.error) < 10);
	r.sample.apart = (struct stats_apart){1, 1, 601000, 601000.0 * 601000.0};
	for (int i = 0; i < 49; i++)
		add_apart(&r, 1, 601000);
	after = mean_interval_estimate(&r.sample, 0.95);
	assert_true(after.freedom > 30 && after.freedom < 60);
}

/* 20 calls of one thread depend on one another: the error is that of threads, not of calls. */
static void test_calls_of_a_short_thread_count_as_one(void **state)
{
	struct mean_interval single, threads;
	struct simulate s = {73};
	struct record r;

	(void)state;
	independent(&s, &r, UNIFORM, 1000, 6000);
	for (int i = 0; i < 400; i++)
		add_apart(&r, 1, 20000);
	single = mean_interval_estimate(&r.sample, 0.95);
	s.state = 73;
	independent(&s, &r, UNIFORM, 1000, 6000);
	for (int i = 0; i < 20; i++)
		add_apart(&r, 20, 20000);
	threads = mean_interval_estimate(&r.sample, 0.95);
	assert_true(single.mean == threads.mean);
	/* 400 (20000 - mean)^2, or 20 (20 (20000 - mean))^2 */
	assert_true(threads.error > 0.97 * sqrt(20) * single.error);
	assert_true(threads.error < 1.03 * sqrt(20) * single.error);
	assert_true(threads.freedom > 17 && threads.freedom < 23);
	assert_false(threads.unreliable & STATS_FEW_INDEPENDENT);
	assert_true(single.freedom > 300);
	assert_true(threads.design_effect > 15 && single.design_effect < 1.1);
}

/* A few short threads that make the error are too few to tell it. */
static void test_few_short_threads_are_doubted(void **state)
{
	struct simulate s = {74};
	struct record r;

	(void)state;
	independent(&s, &r, UNIFORM, 1000, 6000);
	for (int i = 0; i < 3; i++)
		add_apart(&r, 20, 20000);
	assert_true(mean_interval_estimate(&r.sample, 0.95).unreliable & STATS_FEW_INDEPENDENT);
}

/* Short threads of a level of their own, beside a long one whose calls are all alike. */
static void test_intervals_of_short_threads_cover(void **state)
{
	unsigned hits = 0, blind = 0, doubted = 0, trials = 300;
	struct simulate s = {75};

	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		struct mean_interval e;
		struct record r;

		independent(&s, &r, EXPONENTIAL, 1000, 6000);
		for (int k = 0; k < 100; k++)
			add_apart(&r, 30,
				  simulate_ticks(&s, 1000 * exp(0.7 * simulate_normal(&s) - 0.245),
						 1));
		e = mean_interval_estimate(&r.sample, 0.95);
		hits += e.low <= 1000 && 1000 <= e.high;
		doubted += e.unreliable != 0;
		r.sample.batches.count = 0; /* all calls as independent ones */
		e = mean_interval_estimate(&r.sample, 0.95);
		blind += e.low <= 1000 && 1000 <= e.high;
	}
	simulate_assert_rate("100 short threads of own levels", hits, trials, 0.92, 0.98);
	simulate_assert_rate("  doubted", doubted, trials, 0, 0.06);
	simulate_assert_rate("  without stretches", blind, trials, 0, 0.6);
}

/* Among many ordinary ones, too: the error is as uncertain as one call makes it. */
static void test_one_stretch_that_is_off_counts_for_itself(void **state)
{
	struct simulate s = {77};
	struct record r;

	(void)state;
	independent(&s, &r, UNIFORM, 1000, 46 * 128);
	for (int i = 0; i < 100; i++)
		add_apart(&r, 2, 1000);
	assert_true(mean_interval_estimate(&r.sample, 0.95).freedom > 30);
	add_apart(&r, 1, 6010000);
	assert_true(mean_interval_estimate(&r.sample, 0.95).freedom < 3);
	/* Off the other way: many calls that take no time. */
	independent(&s, &r, UNIFORM, 1000, 46 * 128);
	for (int i = 0; i < 100; i++)
		add_apart(&r, 2, 1000);
	add_apart(&r, 2000, 0);
	assert_true(mean_interval_estimate(&r.sample, 0.95).freedom < 3);
	/* Five, each of a call; ordinary ones beside them make them no more. */
	independent(&s, &r, UNIFORM, 1000, 46 * 128);
	for (int i = 0; i < 100; i++)
		add_apart(&r, 1, i % 20 ? 1000 : 100000);
	assert_true(mean_interval_estimate(&r.sample, 0.95).freedom < 9);
}

/* Nothing scatters: what rounding leaves of large sums is no error. */
static void test_equal_calls_in_stretches_have_no_scatter(void **state)
{
	(void)state;
	for (uint64_t units = 1000000007; units < 1000000100; units++) {
		struct mean_interval e;
		struct record r;

		begin(&r);
		for (int i = 0; i < 6000; i++)
			add(&r, units + (i == 3000));
		for (int i = 0; i < 5; i++)
			add_apart(&r, (uint64_t)(7 + 9 * i), units);
		e = mean_interval_estimate(&r.sample, 0.95);
		assert_int_equal(e.unreliable, 0);
		assert_true(e.design_effect < 2);
	}
}

/* A tick more or less at either end of each stretch of contiguous calls does not count. */
static void test_ends_of_contiguous_stretches_are_no_scatter(void **state)
{
	struct mean_interval before, after;
	struct simulate s = {76};
	struct record r;

	(void)state;
	before = contiguous(&s, &r, EXPONENTIAL, 0.01, 20000);
	for (int i = 0; i < 200; i++)
		add_apart(&r, 1, i % 100 == 0);
	after = mean_interval_estimate(&r.sample, 0.95);
	assert_true(after.error < 1.05 * before.error);
	add_apart(&r, 1, 20); /* but this is */
	assert_true(mean_interval_estimate(&r.sample, 0.95).error > 1.5 * before.error);
}

/* Ordinary ones, as the last of every run are, change nothing. */
static void test_ordinary_calls_in_no_batch_are_no_doubt(void **state)
{
	struct simulate s = {72};
	int changed = 0;

	(void)state;
	for (int i = 0; i < 400; i++) {
		enum shape shape = i % 2 ? UNIFORM : EXPONENTIAL;
		struct record r;
		struct mean_interval e = independent(&s, &r, shape, 1000, 46 * 128);

		for (int more = 0; more < i % 40; more++)
			add_apart(&r, 1, simulate_ticks(&s, 1000 * duration(&s, shape), 1));
		changed += mean_interval_estimate(&r.sample, 0.95).error > 1.2 * e.error;
	}
	assert_true(changed <= 4);
}

/* What stats.h says about every estimate. */
static void assert_an_answer(const struct stats_sample *s)
{
	struct mean_interval e = mean_interval_estimate(s, 0.95);
	const unsigned unreliable = STATS_SYNCHRONOUS | STATS_FEW_INDEPENDENT | STATS_HEAVY_TAIL;

	if (!s->sums.n) {
		assert_string_equal(e.method, "none");
		assert_true(isnan(e.mean) && isnan(e.low) && isnan(e.high));
		return;
	}
	double mean = (double)s->sums.sum / (double)s->sums.n;

	assert_near(e.mean, mean, mean * 1e-12);
	assert_true(e.low >= 0 && e.low <= e.high);
	assert_true(e.error >= 0);
	assert_int_equal(e.unreliable & ~unreliable, 0);
}

/* Damaged profiles: whatever the sums say, an answer that readers can print, and no abort. */
static void test_contradictory_sums_are_survived(void **state)
{
	static const uint64_t odd[] = {0, 1, 2, 1000, UINT64_MAX / 2, UINT64_MAX};
	uint64_t sum[64];
	size_t k = sizeof odd / sizeof odd[0];

	(void)state;
	for (size_t a = 0; a < k * k * k * k; a++) {
		struct stats_sample sample = {
			.sums = {.n = odd[a % k],
				 .sum = odd[a / k % k],
				 .sum_sq = odd[a / k / k % k],
				 .min = odd[a / k / k / k],
				 .max = odd[(a * 7) % k],
				 .tick = 1 + odd[a % 3],
				 .unit = 1},
			.batches = {1 + odd[a % k] % 4096, (uint32_t)(a % 65), sum},
			.apart = {(double)(a % 4), (double)odd[(a * 5) % k],
				  (double)odd[(a * 11) % k], (double)odd[(a * 13) % k]},
		};

		for (int i = 0; i < 64; i++)
			sum[i] = odd[(a + (size_t)i * i) % k];
		assert_an_answer(&sample);
		sample.apart.calls_sum = NAN;
		assert_an_answer(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals_cover),
		cmocka_unit_test(test_contiguous_calls_have_the_error_of_10c),
		cmocka_unit_test(test_exchanged_ticks_are_not_spread),
		cmocka_unit_test(test_dependence_widens),
		cmocka_unit_test(test_few_bursts_are_covered_or_doubted),
		cmocka_unit_test(test_heavy_tails_are_covered_or_doubted),
		cmocka_unit_test(test_heavy_tails_without_a_histogram_are_covered),
		cmocka_unit_test(test_a_locked_program_is_doubted_unless_it_cannot_matter),
		cmocka_unit_test(test_methods_follow_the_ticks),
		cmocka_unit_test(test_one_long_call_of_another_thread_is_in_the_error),
		cmocka_unit_test(test_calls_of_a_short_thread_count_as_one),
		cmocka_unit_test(test_few_short_threads_are_doubted),
		cmocka_unit_test(test_intervals_of_short_threads_cover),
		cmocka_unit_test(test_one_stretch_that_is_off_counts_for_itself),
		cmocka_unit_test(test_equal_calls_in_stretches_have_no_scatter),
		cmocka_unit_test(test_ends_of_contiguous_stretches_are_no_scatter),
		cmocka_unit_test(test_ordinary_calls_in_no_batch_are_no_doubt),
		cmocka_unit_test(test_contradictory_sums_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
