// SPDX-License-Identifier: GPL-3.0-or-later
/* Stopping when a mean is known well enough: the rule's parts, and by simulation, how often
 * programs that change their state are measured right at the stop (tests/bench/watched has more of
 * them).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/support/recording.h"
#include "stats/mean/mean_interval.h"
#include "stats/mean/stopping.h"

#define CONFIDENCE 0.95

static struct stopping_look good(void)
{
	return (struct stopping_look){.used = 100000,
				      .raw = 100,
				      .mean = 100,
				      .low = 96,
				      .high = 103,
				      .freedom = 30,
				      .design_effect = 2};
}

/* Stretches of a second, with 1000 calls each of 100 units and what is added to them. */
static double watch(struct stopping *s, unsigned from, unsigned stretches, const int64_t *added,
		    unsigned period)
{
	struct stopping_stretch now = s->at;

	for (unsigned i = 0; i < stretches; i++) {
		now.calls += 1000;
		now.units += (uint64_t)(100000 + added[i % period]);
		assert_true(stopping_add(s, (double)(from + i + 1), &now));
	}
	return (double)(from + stretches);
}

static const int64_t scattered[] = {900, -200, -700, 300, 500, -900, 100, 0, -400, 400};
#define PERIOD (sizeof(scattered) / sizeof(*scattered))

/* As a run of 40 s that may stop. */
static double begin(struct stopping *s)
{
	stopping_begin(s, 0.05, 10, 0, &(struct stopping_stretch){0});
	return watch(s, 0, 40, scattered, PERIOD);
}

static void stops_at_a_narrow_interval(void **state)
{
	struct stopping s;
	struct stopping_look look = good();
	double at = begin(&s);

	(void)state;
	assert_true(stopping_look(&s, at, &look));
	assert_true(fabs(s.seen - 0.04) < 1e-12); /* the wider side */
	/* and a look that says otherwise takes it back */
	look.low = 94;
	assert_false(stopping_look(&s, at, &look));
	assert_false(s.reached);
}

/* The factor of the error, by Robbins: sqrt(2.7955^2 + ln(40 / 10)), as Student's t of 39 degrees;
 * skewness is 0 here. */
static void the_width_is_the_sequence_s(void **state)
{
	static const int64_t alternating[] = {500, -500, -500, 500};
	struct stopping s;
	double square = 500.0 * 500 * 40 / 39, error = sqrt(square * 40) / 4e6, t;
	bool ready;

	(void)state;
	stopping_begin(&s, 0.05, 10, 0, &(struct stopping_stretch){0});
	watch(&s, 0, 40, alternating, 4);
	t = stopping_width(&s, 40, 0, &ready) / error;
	assert_true(ready);
	assert_true(t > 3.033 && t < 3.5);
	/* and slowly rising with time */
	assert_true(stopping_width(&s, 4000, 0, &ready) / error > t + 0.5);
}

/* What is subtracted from the mean makes it relatively wider. */
static void widths_are_of_the_mean_that_is_left(void **state)
{
	struct stopping s;
	struct stopping_look look = good();
	double at = begin(&s), width;
	bool ready;

	(void)state;
	width = stopping_width(&s, at, 0, &ready);
	look.low = look.high = look.mean = 10;
	stopping_look(&s, at, &look);
	assert_true(fabs(s.seen - 10 * width) < 1e-12);
}

/* Whatever the width says. */
static void needs_data(void **state)
{
	struct stopping_look bad[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		bad[i] = good();
	bad[0].used = STOPPING_CALLS - 1; /* the others are warm-up */
	bad[1].freedom = STOPPING_BATCHES - 1;
	bad[2].design_effect = NAN; /* too few batches */
	bad[3].design_effect = 100000.0 / (STOPPING_EFFECTIVE - 1);
	bad[4].unreliable = STATS_HEAVY_TAIL;
	bad[5].high = INFINITY;
	for (int i = 0; i < 6; i++) {
		struct stopping s;
		double at = begin(&s);

		assert_false(stopping_look(&s, at, &bad[i]));
	}
}

static void not_before_the_least_time(void **state)
{
	struct stopping s;
	struct stopping_look look = good();
	double at;

	(void)state;
	stopping_begin(&s, 0.05, 100, 0, &(struct stopping_stretch){0});
	s.due_s = s.stretch_s = 1;
	at = watch(&s, 0, 40, scattered, PERIOD);
	assert_false(stopping_look(&s, at, &look));
	assert_true(stopping_look(&s, 100, &look));
}

/* 32 stretches that are not warm-up. */
static void not_of_few_stretches(void **state)
{
	struct stopping s;
	struct stopping_look look = good();
	double at = begin(&s);

	(void)state;
	look.skipped = 8000;
	assert_true(stopping_look(&s, at, &look));
	look.skipped = 9000;
	assert_false(stopping_look(&s, at, &look));
}

/* Two phases, however little they differ, are two stretches. */
static void not_of_few_independent_stretches(void **state)
{
	static int64_t phases[40];
	struct stopping s;
	struct stopping_look look = good();

	(void)state;
	for (int i = 0; i < 40; i++)
		phases[i] = i < 20 ? 10 : -10;
	stopping_begin(&s, 0.05, 10, 0, &(struct stopping_stretch){0});
	watch(&s, 0, 40, phases, 40);
	assert_false(stopping_look(&s, 40, &look));
	assert_true(s.seen <= 0.05);
}

/* All calls in ten stretches of forty are ten at most. */
static void not_of_few_stretches_with_calls(void **state)
{
	struct stopping s;
	struct stopping_look look = good();
	struct stopping_stretch now = {0};

	(void)state;
	stopping_begin(&s, 0.05, 10, 0, &now);
	for (unsigned i = 0; i < 40; i++) {
		now.calls += i % 4 ? 0 : 1000;
		now.units += i % 4 ? 0 : (uint64_t)(100000 + scattered[i / 4]);
		stopping_add(&s, i + 1, &now);
	}
	assert_false(stopping_look(&s, 40, &look));
}

static void not_where_one_stretch_is_most_of_the_scatter(void **state)
{
	static int64_t once[40] = {[7] = 4000};
	struct stopping s;
	struct stopping_look look = good();

	(void)state;
	stopping_begin(&s, 0.05, 10, 0, &(struct stopping_stretch){0});
	watch(&s, 0, 40, once, 40);
	assert_false(stopping_look(&s, 40, &look));
	assert_true(s.seen <= 0.05);
}

/* They cover all time, however long: of a whole day there are 32 to 64. */
static void stretches_are_merged(void **state)
{
	struct stopping s;
	struct stopping_stretch now = {0};
	uint64_t calls = 0, units = 0;
	unsigned looks = 0;

	(void)state;
	stopping_begin(&s, 0.05, 10, 0, &now);
	for (unsigned i = 1; i <= 86400; i++) {
		now = (struct stopping_stretch){now.calls + 3, now.units + 7};
		looks += stopping_add(&s, i, &now);
	}
	assert_in_range(s.count, 32, 64);
	for (uint32_t i = 0; i < s.count; i++) {
		calls += s.stretch[i].calls;
		units += s.stretch[i].units;
	}
	assert_int_equal(calls, s.at.calls);
	assert_int_equal(units, s.at.units);
	assert_true(s.at.calls + 3 * (uint64_t)s.stretch_s >= now.calls);
	assert_true(looks <= 64 + 32 * 14); /* a day is 0.16 s, 64 times, doubled 13 times */
}

/* A program in two states, which change every `sojourn` seconds on average: 1: stopped and right;
 * 0: wrong; -1: not stopped. */
static int watch_states(struct simulate *dice, double sojourn, double relative)
{
	struct recording r;
	struct stopping s;
	double now = 0, change = sojourn * simulate_exponential(dice);
	bool slow = simulate_uniform(dice) < 0.5;

	recording_begin(&r);
	stopping_begin(&s, relative, 10, 0, &(struct stopping_stretch){0});
	while (now < 400) {
		uint64_t us = slow ? 15000 : 5000;

		recording_add(&r, us);
		for (now += (double)us / 1e6; now >= change; slow = !slow)
			change += sojourn * simulate_exponential(dice);
		if (!stopping_add(&s, now, &(struct stopping_stretch){r.sums.n, r.sums.sum}))
			continue;
		struct stats_sample sample = recording_sample(&r);
		struct mean_interval e = mean_interval_estimate(&sample, CONFIDENCE);
		struct stopping_look look = {r.sums.n,	  0,	  e.mean,    e.mean,
					     e.low,	  e.high, e.freedom, e.design_effect,
					     e.unreliable};

		if (stopping_look(&s, now, &look))
			return fabs(e.mean - 7500) <= relative * e.mean;
	}
	return -1;
}

static void covers_a_program_of_states(void **state)
{
	static const struct {
		double sojourn, relative;
	} program[] = {{0.1, 0.05}, {1, 0.2}, {3, 0.3}};
	struct simulate dice = {77};

	(void)state;
	for (size_t i = 0; i < sizeof(program) / sizeof(*program); i++) {
		unsigned stopped = 0, right = 0;
		char what[64];

		for (unsigned k = 0; k < 200; k++) {
			int how = watch_states(&dice, program[i].sojourn, program[i].relative);

			stopped += how >= 0;
			right += how > 0;
		}
		snprintf(what, sizeof(what), "%g s, %g %%: %u stopped", program[i].sojourn,
			 100 * program[i].relative, stopped);
		assert_true(stopped > 150);
		simulate_assert_rate(what, right, stopped, 0.94, 1);
	}
}

/* Four times as wide takes sixteen times as long. */
static void what_is_expected_grows_with_the_square(void **state)
{
	(void)state;
	assert_true(fabs(stopping_expected(20, 0.2, 0.05, 10) - 320) < 1e-9);
	assert_true(fabs(stopping_expected(20, 0.04, 0.05, 10) - 20) < 1e-9);
	assert_true(fabs(stopping_expected(5, 0.01, 0.05, 10) - 10) < 1e-9);
	assert_true(isnan(stopping_expected(20, NAN, 0.05, 10)));
	assert_true(isnan(stopping_expected(20, 1.1, 0.05, 10)));
}

/* The first expectation counts, ten times; 60 s at least; and there is always one. */
static void a_limit_ends_it(void **state)
{
	struct stopping_patience first = {0}, soon = {0}, unknown = {0};

	(void)state;
	assert_int_equal(stopping_lasts(&first, 5, 100, 20), STOPPING_GOES_ON);
	assert_int_equal(stopping_lasts(&first, 199, 4000, 5000), STOPPING_GOES_ON);
	assert_int_equal(stopping_lasts(&first, 200, 4020, 5000), STOPPING_LIMIT);
	assert_int_equal(stopping_lasts(&soon, 1, 20, 1), STOPPING_GOES_ON);
	assert_int_equal(stopping_lasts(&soon, 59, 1180, NAN), STOPPING_GOES_ON);
	assert_int_equal(stopping_lasts(&soon, 60, 1200, NAN), STOPPING_LIMIT);
	assert_int_equal(stopping_lasts(&unknown, 59, 1180, NAN), STOPPING_GOES_ON);
	assert_int_equal(stopping_lasts(&unknown, 60, 1200, NAN), STOPPING_GOES_ON);
	assert_true(fabs(unknown.limit_s - 600) < 1e-9);
}

/* 1000 calls a second, and then 5: a timer's. What has not begun is waited for. */
static void the_load_is_over_where_hardly_a_call_comes(void **state)
{
	struct stopping_patience p = {0}, none = {0};
	double calls = 0, now = 0;

	(void)state;
	for (; now < 50; now++)
		assert_int_equal(stopping_lasts(&p, now, calls += 1000, 1e6), STOPPING_GOES_ON);
	for (; now < 59; now++)
		assert_int_equal(stopping_lasts(&p, now, calls += 5, 1e6), STOPPING_GOES_ON);
	assert_int_equal(stopping_lasts(&p, now, calls, 1e6), STOPPING_IDLE);
	assert_int_equal(stopping_lasts(&p, now, calls + 1000, 1e6), STOPPING_GOES_ON);
	for (now = 0; now < 59; now++)
		assert_int_equal(stopping_lasts(&none, now, 0, NAN), STOPPING_GOES_ON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_at_a_narrow_interval),
		cmocka_unit_test(the_width_is_the_sequence_s),
		cmocka_unit_test(widths_are_of_the_mean_that_is_left),
		cmocka_unit_test(needs_data),
		cmocka_unit_test(not_before_the_least_time),
		cmocka_unit_test(not_of_few_stretches),
		cmocka_unit_test(not_of_few_independent_stretches),
		cmocka_unit_test(not_of_few_stretches_with_calls),
		cmocka_unit_test(not_where_one_stretch_is_most_of_the_scatter),
		cmocka_unit_test(stretches_are_merged),
		cmocka_unit_test(covers_a_program_of_states),
		cmocka_unit_test(what_is_expected_grows_with_the_square),
		cmocka_unit_test(a_limit_ends_it),
		cmocka_unit_test(the_load_is_over_where_hardly_a_call_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
