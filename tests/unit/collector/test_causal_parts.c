// SPDX-License-Identifier: GPL-3.0-or-later
/* The pure parts of a causal experiment: windows and sites from a pilot, draws, delays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "collector/causal/causal_private.h"

#define DRAWS 40000

static struct causal_pilot_series series;

static void fill_series(double (*progress)(size_t i))
{
	series.count = 2000;
	for (size_t i = 0; i < series.count; i++) {
		series.time[i] = 0.01;
		series.progress[i] = progress(i);
	}
}

/* No pattern. */
static double steady(size_t i)
{
	static struct random r;

	if (!i)
		random_seed(&r, 1);
	return 900 + (double)random_below(&r, 201);
}

/* What one reading has too much, the next one lacks. */
static double from_edge_to_edge(size_t i)
{
	return 1000 + (i % 2 ? 300 : -300) + (double)(i * 7919 % 101) / 10;
}

static double seldom(size_t i)
{
	return i % 10 == 0;
}

static double fifteen(size_t i)
{
	(void)i;
	return 15;
}

static double none(size_t i)
{
	(void)i;
	return 0;
}

static void windows_are_long_enough_for_units_and_edges(void **state)
{
	(void)state;
	fill_series(steady);
	assert_true(fabs(causal_pilot_rate(&series) / 100000 - 1) < 0.01);
	assert_true(causal_pilot_window(&series, 1e-5, 60) <= 0.02);
	/* ten times what a unit takes */
	assert_true(fabs(causal_pilot_window(&series, 0.05, 60) - 0.5) < 1e-9);
	assert_true(causal_pilot_window(&series, 100, 60) <= CAUSAL_PILOT_LONGEST_S);
	fill_series(from_edge_to_edge);
	assert_true(causal_pilot_window(&series, 0, 60) >= 0.02);
	/* 10 units a second: 20 of them */
	fill_series(seldom);
	assert_true(fabs(causal_pilot_window(&series, 0, 60) - 2) < 1e-9);
	assert_true(fabs(causal_pilot_window(&series, 0, INFINITY) - 2) < 1e-9);
	assert_true(fabs(causal_pilot_window(&series, 0, 600) - 3) < 1e-9);
	/* 1500: 100 of them, in 200 windows or more, or 20 */
	fill_series(fifteen);
	assert_true(fabs(causal_pilot_window(&series, 0, INFINITY) - 100 / 1500.) < 1e-3);
	assert_true(fabs(causal_pilot_window(&series, 0, 6) - 0.03) < 1e-9);
	assert_true(fabs(causal_pilot_window(&series, 0, 1) - 20 / 1500.) < 1e-3);
	fill_series(none);
	assert_true(causal_pilot_rate(&series) == 0);
	assert_true(causal_pilot_window(&series, 0, 60) <= CAUSAL_PILOT_LONGEST_S);
}

static void the_longest_of_the_wanted_sites_are_chosen(void **state)
{
	struct causal_candidate c[6] = {
		{.site = {.index = 0}, .calls_s = 1000, .busy = 0.1, .wanted = true},
		{.site = {.index = 1}, .calls_s = 1000, .busy = 0.9},
		{.site = {.index = 2}, .calls_s = 10, .busy = 0.8, .wanted = true}, /* rare */
		{.site = {.index = 3}, .calls_s = 1000, .busy = 0.4, .wanted = true},
		{.site = {.index = 4}, .calls_s = 2000, .busy = NAN, .wanted = true},
		{.site = {.index = 5, .in_handler = true}, .calls_s = 2000, .wanted = true},
	};
	size_t left_out;

	(void)state;
	assert_int_equal(causal_pilot_choose(c, 6, 0.01, 2, &left_out), 2);
	assert_int_equal(left_out, 1);
	assert_int_equal(c[0].site.index, 3);
	assert_int_equal(c[1].site.index, 0);
	assert_int_equal(causal_pilot_choose(c, 2, 0.01, 24, &left_out), 2);
	assert_int_equal(left_out, 0);
}

/* Five deviations; the seed is fixed, so what passes goes on passing. */
static void draws_are_balanced_and_independent(void **state)
{
	double seen[SLOPES_LEVELS] = {0}, pairs[SLOPES_LEVELS][SLOPES_LEVELS] = {{0}};
	double next[SLOPES_LEVELS][SLOPES_LEVELS] = {{0}};
	static const double expected[SLOPES_LEVELS] = {0.5, 0.25, 0.25};
	unsigned char a = 0, b, before;
	struct random r;

	(void)state;
	random_seed(&r, 1);
	for (int i = 0; i < DRAWS; i++) {
		before = a;
		a = causal_design_draw(&r, 0.5);
		b = causal_design_draw(&r, 0.5);
		seen[a]++;
		pairs[a][b]++;
		next[before][a]++;
	}
	for (int i = 0; i < SLOPES_LEVELS; i++) {
		double p = expected[i];

		assert_true(fabs(seen[i] - DRAWS * p) < 5 * sqrt(DRAWS * p * (1 - p)));
		for (int j = 0; j < SLOPES_LEVELS; j++) {
			double both = p * expected[j], limit = 5 * sqrt(DRAWS * both);

			assert_true(fabs(pairs[i][j] - DRAWS * both) < limit);
			assert_true(fabs(next[i][j] - DRAWS * both) < limit);
		}
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(causal_design_draw(&r, 0), 0);
}

static void add(struct causal_design *d, double progress, unsigned char level, double calls,
		double delayed)
{
	const struct causal_design_calls seen = {calls, delayed};
	const struct causal_design_seen w = {
		.window = {.time = 0.01, .progress = progress}, .level = &level, .calls = &seen};

	assert_int_equal(causal_design_add(d, &w, 10000), 0);
}

/* A program that is kept from its CPU has idle windows: what lies beside them is left out. */
static void calls_are_of_as_many_units_as_were_made(void **state)
{
	struct causal_design d;
	double asked = 1e-6;

	(void)state;
	causal_design_begin(&d, 1);
	assert_int_equal(causal_design_epoch(&d, &asked), 0);
	for (int i = 0; i < 20; i++) {
		add(&d, 100, 0, 400, 0);
		add(&d, 100, 1, 400, 1e-3);
		add(&d, 0, 0, 0, 0);
		add(&d, 100, 0, 400, 0);
	}
	assert_true(d.progress < d.units); /* some were left out */
	assert_float_equal(d.calls[0] / d.units, 4, 1e-9);
	causal_design_free(&d);
}

static void delays_are_those_that_were_spun_while_they_were_the_same(void **state)
{
	struct causal_design d;
	struct slopes_data data;
	double asked = 1e-6, *delay;

	(void)state;
	causal_design_begin(&d, 1);
	assert_int_equal(causal_design_epoch(&d, &asked), 0);
	add(&d, 100, 2, 1e6, 1.1);
	add(&d, 100, 1, 1e6, 0.6);
	add(&d, 100, 0, 1e6, 0.01); /* at the edges of windows */
	asked = 2e-6;
	assert_int_equal(causal_design_epoch(&d, &asked), 0);
	add(&d, 100, 2, 0, 0); /* nothing seen: as asked */
	assert_int_equal(causal_design_data(&d, &data, &delay), 0);
	assert_int_equal(data.windows, 4);
	assert_true(fabs(delay[0] / 1.1e-6 - 1) < 1e-3);
	assert_true(fabs(delay[1] / 0.6e-6 - 1) < 1e-3);
	assert_true(delay[2] == 0);
	assert_true(fabs(delay[3] / 2e-6 - 1) < 1e-9);
	assert_true(fabs(causal_design_unit(&d, 0, 2).value - 1e-4) < 1e-12);
	free(delay);
	causal_design_free(&d);
}

static void windows_without_work_are_no_windows(void **state)
{
	struct causal_design d;
	double asked = 1e-6;

	(void)state;
	causal_design_begin(&d, 1);
	assert_int_equal(causal_design_epoch(&d, &asked), 0);
	for (int i = 0; i < 40; i++)
		add(&d, 100, 0, 1, 0);
	assert_int_equal(d.window[31].block, 0);
	assert_int_equal(d.window[32].block, 1);
	for (int i = 0; i < 5; i++)
		add(&d, 0, 0, 0, 0);
	add(&d, 50, 0, 1, 0); /* part of one */
	assert_int_equal(d.windows, 39);
	add(&d, 100, 0, 1, 0);
	assert_int_equal(d.windows, 40);
	assert_int_equal(d.window[38].block, 1);
	assert_int_equal(d.window[39].block, 2);
	/* the command ended */
	causal_design_cut(&d);
	assert_int_equal(d.windows, 39);
	assert_true(fabs(d.progress - 3900) < 1e-9);
	causal_design_free(&d);
}

static const struct causal_budget plain = {
	.slowdown = 0.05, .unit_s = 1e-4, .longest_s = 0.01, .part = 1, .whole = {.value = NAN}};

static void delays_fit_the_slowdown_whatever_is_known(void **state)
{
	struct causal_budget b = plain;
	struct causal_budget_site s[3] = {{.calls_s = 1e4, .slope = NAN},
					  {.calls_s = 5e4, .slope = NAN},
					  {.calls_s = 100, .slope = NAN}};

	(void)state;
	causal_budget_set(&b, s, 3);
	assert_true(causal_budget_upper(&b, s, 3) <= 0.05 * 1.001);
	/* equal shares of the wall time */
	assert_true(fabs(s[0].high * s[0].calls_s / (s[2].high * s[2].calls_s) - 1) < 1e-6);
	/* a slope ten times what was assumed is met by a delay as much shorter */
	double before = s[0].high;
	s[0].slope = 10;
	s[0].error = 0.1;
	causal_budget_set(&b, s, 3);
	assert_true(s[0].high < before / 3);
	assert_true(causal_budget_upper(&b, s, 3) <= 0.05 * 1.001);
	/* what was measured in all is too much: half at least */
	b.whole = (struct slopes_value){0.2, 0.01, 100};
	causal_budget_set(&b, s, 3);
	assert_true(s[1].high * 0.75 * s[1].active <= s[1].was / 2);
}

/* Assumed is a slope of 1 +-1, measured one of 3 +-1: 2 +-0.707, and 1.645 times that, of a mean
 * delay of 2 us a call and 100 us a unit. */
static void what_delays_may_cost_is_the_upper_end_of_what_is_believed(void **state)
{
	struct causal_budget_site s = {
		.calls_s = 1e4, .slope = 3, .error = 1, .high = 2e-6 / 0.75 / 0.5, .active = 0.5};

	(void)state;
	assert_true(fabs(causal_budget_upper(&plain, &s, 1) - 0.02 * (2 + 1.645 * 0.70711)) < 1e-6);
}

static void hidden_sites_get_longer_delays_within_limits(void **state)
{
	struct causal_budget_site s[2] = {
		{.calls_s = 1e4, .call_s = 60e-6, .slope = 1, .error = 0.01},
		{.calls_s = 1e4, .call_s = 60e-6, .slope = 0, .error = 0.01}};
	/* of the slowdown's half, for a site that has slope 1 */
	double full = 0.025 / 1e4 / 0.375;

	(void)state;
	for (int i = 0; i < 10; i++)
		causal_budget_set(&plain, s, 2);
	assert_true(causal_budget_upper(&plain, s, 2) <= 0.05 * 1.001);
	assert_true(s[1].high > 2 * full);
	assert_true(s[1].high <= fmax(full, 0.3 * 60e-6) * 1.001);
	/* from one correction to the next at most twice as long */
	double before = s[1].high = full / 100;
	causal_budget_set(&plain, s, 2);
	assert_true(s[1].high * 0.75 * s[1].active <= 2 * 0.375 * before * 1.001);
}

static void sites_called_all_the_time_are_delayed_in_fewer_windows(void **state)
{
	struct causal_budget_site s[2] = {{.calls_s = 2e6, .slope = NAN},
					  {.calls_s = 1e9, .slope = NAN}};

	(void)state;
	causal_budget_set(&plain, s, 2);
	assert_true(s[0].high >= CAUSAL_BUDGET_SHORTEST_S);
	assert_true(s[0].active > 0 && s[0].active < CAUSAL_BUDGET_ACTIVE);
	assert_true(s[1].active == 0 && s[1].high == 0);
	assert_true(causal_budget_upper(&plain, s, 2) <= 0.05 * 1.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_long_enough_for_units_and_edges),
		cmocka_unit_test(the_longest_of_the_wanted_sites_are_chosen),
		cmocka_unit_test(draws_are_balanced_and_independent),
		cmocka_unit_test(calls_are_of_as_many_units_as_were_made),
		cmocka_unit_test(delays_are_those_that_were_spun_while_they_were_the_same),
		cmocka_unit_test(windows_without_work_are_no_windows),
		cmocka_unit_test(delays_fit_the_slowdown_whatever_is_known),
		cmocka_unit_test(what_delays_may_cost_is_the_upper_end_of_what_is_believed),
		cmocka_unit_test(hidden_sites_get_longer_delays_within_limits),
		cmocka_unit_test(sites_called_all_the_time_are_delayed_in_fewer_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
