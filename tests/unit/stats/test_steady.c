// SPDX-License-Identifier: GPL-3.0-or-later
/* Warm-up and drift: false alarms and what is found, by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/support/simulate.h"
#include "stats/stationarity/warmup.h"

#define CALLS 20 /* a batch */

enum law { NORMAL, LOGNORMAL, RARE_TICKS, TICKS, FOLLOWING, CONTIGUOUS };
static const char *const law_name[] = {
	"normal",	   "lognormal, sigma 2", "1 tick in 5 batches",
	"5 ticks a batch", "correlation 0.5",	 "contiguous"};

static unsigned poisson(struct simulate *s, double mean)
{
	double left = mean;
	unsigned n = 0;

	while ((left -= simulate_exponential(s)) > 0)
		n++;
	return n;
}

static void steady(struct simulate *s, enum law law, uint64_t *sum, unsigned batches)
{
	double wave = simulate_normal(s), phase = simulate_uniform(s), x, next;

	for (unsigned i = 0; i < batches; i++) {
		switch (law) {
		case NORMAL:
			x = 20000 + 1000 * simulate_normal(s);
			break;
		case LOGNORMAL:
			x = 0;
			for (unsigned k = 0; k < CALLS; k++)
				x += 100 * exp(2 * simulate_normal(s));
			break;
		case RARE_TICKS:
		case TICKS:
			x = 1000 * poisson(s, law == TICKS ? 5 : 0.2);
			break;
		case FOLLOWING:
			wave = 0.5 * wave + sqrt(0.75) * simulate_normal(s);
			x = 20000 + 1000 * wave;
			break;
		default: /* the ticks of a stretch of time, 4 to 5 long */
			next = phase + 4 + simulate_uniform(s);
			x = 1000 * (floor(next) - floor(phase));
			phase = next;
		}
		sum[i] = (uint64_t)fmax(x, 0);
	}
}

static void test_steady_series_are_left_alone(void **state)
{
	static const unsigned length[] = {10, 16, 33, 64};
	static const unsigned trials = 3000;

	(void)state;
	for (unsigned law = NORMAL; law <= CONTIGUOUS; law++)
		for (unsigned k = 0; k < 4; k++) {
			struct simulate s = {100 * law + k};
			unsigned warm = 0, drift = 0;
			uint64_t sum[64];
			char what[80];

			for (unsigned i = 0; i < trials; i++) {
				struct stats_batches b = {CALLS, length[k], sum};

				steady(&s, law, sum, length[k]);
				warm += warmup_find(&b).batches > 0;
				drift += drift_find(&b, 0).kind != STATS_STEADY;
			}
			snprintf(what, sizeof what, "%u batches, %s: warm-up", length[k],
				 law_name[law]);
			simulate_assert_rate(what, warm, trials, 0, 0.01);
			snprintf(what, sizeof what, "%u batches, %s: drift", length[k],
				 law_name[law]);
			simulate_assert_rate(what, drift, trials, 0, 0.01);
		}
}

/* Spells of about `length` batches, half of the time, in which calls take twice as long. */
static void spells(struct simulate *s, uint64_t *sum, unsigned batches, double length)
{
	bool slow = simulate_uniform(s) < 0.5;

	for (unsigned i = 0; i < batches; i++) {
		sum[i] = (uint64_t)((slow ? 40000 : 20000) + 500 * simulate_normal(s));
		slow ^= simulate_uniform(s) < 1 / length;
	}
}

static void test_spells_that_come_back_are_no_warm_up(void **state)
{
	struct simulate s = {77};
	unsigned warm = 0;
	uint64_t sum[64];
	struct stats_batches b = {CALLS, 64, sum};

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		spells(&s, sum, 64, 4);
		warm += warmup_find(&b).batches > 0;
	}
	simulate_assert_rate("eight slow spells", warm, 3000, 0, 0.01);
	for (unsigned i = 0; i < 64; i++)
		sum[i] = (i < 8 ? 5000 : i >= 30 && i < 38 ? 4000 : 1000) + i % 2;
	assert_int_equal(warmup_find(&b).batches, 0);
	for (unsigned i = 30; i < 38; i++)
		sum[i] = 1100;
	assert_int_equal(warmup_find(&b).batches, 8);
}

static void test_few_calls_show_no_warm_up(void **state)
{
	uint64_t sum[64];
	struct stats_batches b = {4, 32, sum};

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		sum[i] = (i < 2 ? 500000 : 1000) + i % 2;
	assert_int_equal(warmup_find(&b).batches, 2);
	b.count = 31;
	assert_int_equal(warmup_find(&b).batches, 0);
	b = (struct stats_batches){3, 33, sum};
	assert_int_equal(warmup_find(&b).batches, 0);
}

static void test_the_cut_is_in_the_interval(void **state)
{
	struct mean_interval e = {.mean = 100, .low = 98, .high = 103};

	(void)state;
	warmup_widen(&e, -0.05);
	assert_float_equal(e.low, 93, 1e-9);
	assert_float_equal(e.high, 103, 1e-9);
	warmup_widen(&e, 0.02);
	assert_float_equal(e.low, 93, 1e-9);
	assert_float_equal(e.high, 105, 1e-9);
	warmup_widen(&e, NAN);
	assert_float_equal(e.low, 93, 1e-9);
}

/* How batches are changed, in deviations of a batch. */
enum change { STEP_DOWN, FIRST_ONLY, DECAY, TREND, STEP_LATE };

static double change_of(enum change c, unsigned i, unsigned batches)
{
	switch (c) {
	case STEP_DOWN:
		return 8 * i < batches ? 4 : 0;
	case FIRST_ONLY:
		return i == 0 ? 20 : 0;
	case DECAY:
		return 20 * exp(-0.5 * i);
	case TREND:
		return 3.0 * i / (batches - 1);
	default:
		return 10 * i < 6 * batches ? 0 : 2.5;
	}
}

struct found {
	unsigned warm, trend, step;
	double batches, ratio, change, at; /* means over those */
};

static struct found look(enum change c, unsigned batches, unsigned trials)
{
	struct simulate s = {900 + c};
	struct found f = {0};

	for (unsigned k = 0; k < trials; k++) {
		uint64_t sum[64];
		struct stats_batches b = {CALLS, batches, sum};
		struct warmup w;
		struct drift d;

		steady(&s, NORMAL, sum, batches);
		for (unsigned i = 0; i < batches; i++)
			sum[i] += (uint64_t)(1000 * change_of(c, i, batches));
		w = warmup_find(&b);
		d = drift_find(&b, w.batches);
		f.warm += w.batches > 0;
		f.trend += d.kind == STATS_TREND;
		f.step += d.kind == STATS_STEP;
		f.batches += w.batches;
		f.ratio += w.batches ? w.ratio : 0;
		f.change += d.kind ? d.change : 0;
		f.at += d.at;
	}
	f.batches /= f.warm;
	f.ratio /= f.warm;
	f.change /= f.trend + f.step;
	f.at /= f.step;
	return f;
}

static void test_warming_up_is_found_and_measured(void **state)
{
	struct found f;

	(void)state;
	f = look(STEP_DOWN, 64, 400);
	simulate_assert_rate("8 of 64 batches 4 deviations up", f.warm, 400, 0.98, 1);
	assert_float_equal(f.batches, 8, 0.5);
	assert_float_equal(f.ratio, 1.2, 0.01);
	simulate_assert_rate("and the rest drifts", f.trend + f.step, 400, 0, 0.03);
	f = look(FIRST_ONLY, 40, 400);
	simulate_assert_rate("1 of 40 batches 20 deviations up", f.warm, 400, 0.98, 1);
	assert_float_equal(f.batches, 1, 0.1);
	assert_float_equal(f.ratio, 2, 0.02);
	f = look(DECAY, 40, 400);
	simulate_assert_rate("a decay over 5 of 40 batches", f.warm, 400, 0.93, 1);
	assert_in_range((int)round(f.batches), 4, 7);
}

static void test_drift_is_found_and_is_no_warm_up(void **state)
{
	struct found f;

	(void)state;
	f = look(TREND, 48, 400);
	simulate_assert_rate("3 deviations over 48 batches: trend", f.trend, 400, 0.6, 0.9);
	simulate_assert_rate("anything", f.trend + f.step + f.warm, 400, 0.95, 1);
	f = look(STEP_LATE, 48, 400);
	simulate_assert_rate("2.5 deviations up at 60 %: step", f.step, 400, 0.9, 1);
	simulate_assert_rate("warm-up", f.warm, 400, 0, 0.02);
	assert_float_equal(f.at, 29, 1);
	assert_float_equal(f.change, 0.125, 0.01);
}

static void test_effects_without_noise(void **state)
{
	uint64_t sum[64];
	struct stats_batches b = {10, 64, sum};
	struct warmup w;
	struct drift d;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		sum[i] = 1000 + 10 * i;
	w = warmup_find(&b);
	assert_int_equal(w.batches, 0);
	assert_true(isnan(w.ratio));
	d = drift_find(&b, 0);
	assert_int_equal(d.kind, STATS_TREND);
	assert_float_equal(d.begin, 100, 1e-9);
	assert_float_equal(d.end, 163, 1e-9);
	assert_float_equal(d.change, 0.63, 1e-9);
	for (unsigned i = 0; i < 64; i++)
		sum[i] = (i < 5 ? 5000 : i < 40 ? 1000 : 1500) + i % 2;
	w = warmup_find(&b);
	assert_int_equal(w.batches, 5);
	assert_float_equal(w.mean_aside, 500.04, 1e-9);
	assert_float_equal(w.mean_rest, (35 * 100 + 24 * 150 + 3) / 59.0, 0.01);
	assert_float_equal(w.ratio, w.mean_aside / w.mean_rest, 1e-12);
	d = drift_find(&b, 5);
	assert_int_equal(d.kind, STATS_STEP);
	assert_int_equal(d.at, 40);
	assert_float_equal(d.change, 0.5, 0.001);
}

/* Sends of 30000 bytes, then of 100, as a busy machine gave them: the last batch was
 * interrupted, and the later ones wander slowly within 3 %, as ranks alone see. */
static void test_an_interruption_hides_no_warm_up(void **state)
{
	uint64_t sum[62];
	struct stats_batches b = {CALLS, 62, sum};

	(void)state;
	for (unsigned i = 0; i < 62; i++)
		sum[i] = i < 16	  ? 850000 + i * 7919 % 90000
			 : i < 33 ? 189000 + i * 7919 % 2000
			 : i < 45 ? 181000 + i * 7919 % 2000
				  : 186000 + i * 7919 % 2000;
	sum[61] = 345000;
	assert_int_equal(warmup_find(&b).batches, 16);
}

static void test_little_or_nothing_is_steady(void **state)
{
	uint64_t sum[64] = {0};
	struct stats_batches b = {10, 0, sum};
	struct warmup w;

	(void)state;
	assert_true(isnan(warmup_find(&b).mean_rest));
	assert_int_equal(drift_find(&b, 0).kind, STATS_STEADY);
	b.count = 64; /* all alike */
	w = warmup_find(&b);
	assert_int_equal(w.batches, 0);
	assert_true(w.mean_rest == 0);
	assert_int_equal(drift_find(&b, 0).kind, STATS_STEADY);
	assert_true(isnan(drift_find(&b, 0).change));
	sum[0] = 1000; /* one tick, and it came first */
	assert_int_equal(warmup_find(&b).batches, 0);
	b.count = 7;
	sum[1] = 5;
	assert_int_equal(warmup_find(&b).batches, 0);
	assert_int_equal(drift_find(&b, 100).kind, STATS_STEADY);
}

/* More batches than are ranked: neighbours are joined, places stay those given. */
static void test_many_batches_are_joined(void **state)
{
	uint64_t sum[200];
	struct stats_batches b = {10, 200, sum};
	struct drift d;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		sum[i] = (i < 120 ? 1000 : 1500) + i % 7;
	d = drift_find(&b, 0);
	assert_int_equal(d.kind, STATS_STEP);
	assert_int_equal(d.at, 120);
	for (unsigned i = 0; i < 200; i++)
		sum[i] = (i < 8 ? 5000 : 1000) + i % 7;
	assert_int_equal(warmup_find(&b).batches, 8);
}

static void test_the_first_call_beside_all(void **state)
{
	uint64_t count[64] = {0};
	struct first_call f;

	(void)state;
	count[16] = 99; /* 16 and 17 */
	count[40] = 1;	/* 128 to 143 */
	f = warmup_first(130, 100, 130 + 99 * 16, count, 64);
	assert_float_equal(f.ratio, 130 / 16.0, 1e-12);
	assert_float_equal(f.share, 0.01, 1e-12);
	f = warmup_first(16, 100, 16 + 98 * 16 + 130, count, 64);
	assert_float_equal(f.share, 1, 1e-12);
	f = warmup_first(5, 1, 5, NULL, 0);
	assert_true(isnan(f.ratio) && isnan(f.share));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_series_are_left_alone),
		cmocka_unit_test(test_spells_that_come_back_are_no_warm_up),
		cmocka_unit_test(test_few_calls_show_no_warm_up),
		cmocka_unit_test(test_the_cut_is_in_the_interval),
		cmocka_unit_test(test_warming_up_is_found_and_measured),
		cmocka_unit_test(test_drift_is_found_and_is_no_warm_up),
		cmocka_unit_test(test_effects_without_noise),
		cmocka_unit_test(test_an_interruption_hides_no_warm_up),
		cmocka_unit_test(test_little_or_nothing_is_steady),
		cmocka_unit_test(test_many_batches_are_joined),
		cmocka_unit_test(test_the_first_call_beside_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
