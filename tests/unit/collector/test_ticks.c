// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reader makes of a coarse clock's ticks, on made-up clocks of which all
 * is known: mean, spread, ticks that come together, rate; and how often the
 * intervals hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "collector/clocks/clocks.h"
#include "stats/numerics/random.h"
#include "collector/clocks/ticker.h"

#define D     1000000u
#define PASS  1000u
#define LIMIT 4096
#define START UINT64_C(5000000000)

/* A reader that looks every PASS ns from `from` to `to`; between two instants in
 * `blind` it sees nothing. The clock shows how many of `at` have passed. */
struct scene {
	uint64_t at[LIMIT];
	size_t ticks;
	uint64_t blind_from, blind_to;
	uint64_t unit; /* of a reading, a tick */
};

static struct tick_seen seen[LIMIT];

static struct tick_watch watch(const struct scene *s)
{
	struct tick_watch w = {.seen = seen, .room = LIMIT};
	uint64_t passed = 0;

	for (uint64_t now = START; passed < s->ticks; now += PASS) {
		if (now >= s->blind_from && now < s->blind_to)
			continue;
		while (passed < s->ticks && s->at[passed] <= now + PASS / 2)
			passed++;
		clocks_ticks_note(&w, 7 + passed * s->unit, now, now + PASS / 2);
	}
	return w;
}

static void regular(struct scene *s, size_t ticks, uint64_t length)
{
	*s = (struct scene){.ticks = ticks, .unit = 1};
	for (size_t i = 0; i < ticks; i++)
		s->at[i] = START + (i + 1) * length;
}

static void randomised(struct scene *s, size_t ticks, uint64_t seed)
{
	struct tick_schedule schedule;

	*s = (struct scene){.ticks = ticks, .unit = 1};
	ticker_schedule_begin(&schedule, D, START, seed);
	for (size_t i = 0; i < ticks; i++) {
		s->at[i] = schedule.due_ns;
		ticker_schedule_advance(&schedule, schedule.due_ns);
	}
}

static void regular_ticks_have_their_length(void **state)
{
	static struct scene s;
	struct tick_summary sum;

	(void)state;
	regular(&s, 101, D);
	struct tick_watch w = watch(&s);
	assert_int_equal(w.count, 101);
	clocks_ticks_summarise(&w, D, D, 1, &sum);
	assert_int_equal(sum.ticks, 100);
	assert_int_equal(sum.lengths, 100);
	assert_true(fabs(sum.mean_ns - D) < PASS);
	assert_true(sum.low_ns <= sum.mean_ns && sum.mean_ns <= sum.high_ns);
	assert_true(sum.high_ns - sum.low_ns < 2 * PASS);
	assert_true(sum.max_ns - sum.min_ns <= 2 * PASS);
	assert_int_equal(sum.together, 0);
}

/* What is observed, not what was asked for. */
static void a_slow_ticker_is_seen_to_be_slow(void **state)
{
	static struct scene s;
	struct tick_summary sum;

	(void)state;
	regular(&s, 101, D + D / 4);
	struct tick_watch w = watch(&s);
	clocks_ticks_summarise(&w, D, D, 1, &sum);
	assert_true(fabs(sum.mean_ns - 1.25 * D) < PASS);
	assert_true(sum.low_ns > 1.2 * D);
}

static void randomised_ticks_show_their_distribution(void **state)
{
	static struct scene s;
	struct tick_summary sum;

	(void)state;
	randomised(&s, 4000, 11);
	struct tick_watch w = watch(&s);
	clocks_ticks_summarise(&w, D, D, 0.5, &sum);
	assert_int_equal(sum.lengths, 3999);
	assert_int_equal(sum.together, 0);
	/* uniform from D/2 to 3D/2; four deviations of each estimate */
	assert_true(fabs(sum.sd_ns - D / sqrt(12)) < 0.01 * D);
	assert_true(fabs(sum.p10_ns - 0.6 * D) < 0.02 * D);
	assert_true(fabs(sum.p50_ns - 1.0 * D) < 0.032 * D);
	assert_true(fabs(sum.p90_ns - 1.4 * D) < 0.02 * D);
	assert_true(sum.min_ns < 0.51 * D && sum.max_ns > 1.49 * D);
}

static void intervals_hold_the_mean_tick(void **state)
{
	static struct scene s;
	struct random r;
	int held = 0, late_held = 0;

	(void)state;
	random_seed(&r, 5);
	for (int run = 0; run < 400; run++) {
		struct tick_summary sum;

		randomised(&s, 201, 1000 + (uint64_t)run);
		struct tick_watch w = watch(&s);
		clocks_ticks_summarise(&w, D, D, 0.5, &sum);
		held += sum.low_ns <= D && D <= sum.high_ns;
		/* one tick in twenty comes late, by up to 2 D, with those due meanwhile */
		for (size_t i = 0; i < s.ticks; i++)
			if (random_below(&r, 20) == 0)
				s.at[i] += random_below(&r, 2 * D);
		for (size_t i = s.ticks - 1; i-- > 0;)
			if (s.at[i] > s.at[i + 1])
				s.at[i + 1] = s.at[i];
		for (size_t i = 1; i < s.ticks; i++)
			if (s.at[i] < s.at[i - 1])
				s.at[i] = s.at[i - 1];
		w = watch(&s);
		clocks_ticks_summarise(&w, D, D, 0.5, &sum);
		late_held += sum.low_ns <= D && D <= sum.high_ns;
	}
	/* 95 % of 400 is 380, its deviation 4.4 */
	assert_in_range(held, 362, 398);
	assert_in_range(late_held, 362, 400);
}

static void ticks_that_come_together_are_counted(void **state)
{
	static struct scene s;
	struct tick_summary sum;

	(void)state;
	regular(&s, 101, D);
	s.at[50] = s.at[51] = s.at[52]; /* two late ones with the third */
	struct tick_watch w = watch(&s);
	clocks_ticks_summarise(&w, D, D, 1, &sum);
	assert_int_equal(sum.together, 1);
	assert_true(sum.together_max_ns == 2.0 * D);
	assert_true(sum.min_ns == 0);
	assert_true(fabs(sum.max_ns - 3.0 * D) < 2 * PASS);
	assert_true(fabs(sum.mean_ns - D) < PASS);
}

static void ticks_missed_by_the_reader_are_no_fault_of_the_clock(void **state)
{
	static struct scene s;
	struct tick_summary sum;

	(void)state;
	regular(&s, 101, D);
	s.blind_from = START + 50 * D + D / 2;
	s.blind_to = START + 54 * D + D / 2;
	struct tick_watch w = watch(&s);
	clocks_ticks_summarise(&w, D, D, 1, &sum);
	assert_int_equal(sum.ticks, 100);
	assert_int_equal(sum.together, 0);
	/* of the six lengths round the gap none is known */
	assert_int_equal(sum.lengths, 95);
	assert_true(sum.max_ns < D + 2 * PASS);
	assert_true(fabs(sum.mean_ns - D) < PASS);
}

static void too_few_ticks_say_nothing(void **state)
{
	static struct scene s;
	struct tick_summary sum;

	(void)state;
	regular(&s, 7, D);
	struct tick_watch w = watch(&s);
	clocks_ticks_summarise(&w, D, D, 1, &sum);
	assert_true(isnan(sum.mean_ns) && isnan(sum.low_ns) && isnan(sum.sd_ns));
}

static void a_clock_that_goes_back_is_not_averaged(void **state)
{
	struct tick_watch w = {.seen = seen, .room = LIMIT};
	struct tick_summary sum;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		clocks_ticks_note(&w, 1000 - i, START + i * D, START + i * D + 10);
		clocks_ticks_note(&w, 1000 - i, START + i * D + D - 20, START + i * D + D - 10);
	}
	assert_int_equal(clocks_ticks_sharp(&w, D, NULL), 99);
	clocks_ticks_summarise(&w, D, D, 1, &sum);
	assert_true(isnan(sum.mean_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_ticks_have_their_length),
		cmocka_unit_test(a_slow_ticker_is_seen_to_be_slow),
		cmocka_unit_test(randomised_ticks_show_their_distribution),
		cmocka_unit_test(intervals_hold_the_mean_tick),
		cmocka_unit_test(ticks_that_come_together_are_counted),
		cmocka_unit_test(ticks_missed_by_the_reader_are_no_fault_of_the_clock),
		cmocka_unit_test(too_few_ticks_say_nothing),
		cmocka_unit_test(a_clock_that_goes_back_is_not_averaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
