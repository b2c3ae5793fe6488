// SPDX-License-Identifier: GPL-3.0-or-later
/* Slopes from windows that are algebra: exact without noise, shapes and carry-over told where they
 * are, and no number where there can be none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "stats/causal/slopes.h"
#include "stats/numerics/random.h"

#define WINDOWS 400
#define BLOCK	20
#define BASE	200e-6

static struct slopes_window window[WINDOWS];
static unsigned char level[WINDOWS * SLOPES_SITES];
static double delay[WINDOWS * SLOPES_SITES];
static struct slopes all;
static struct slopes_site site[SLOPES_SITES];
static struct random dice;

static double uniform(void)
{
	return (double)(random_next(&dice) >> 11) / 9007199254740992.0;
}

/* Delays of 0, 5 and 10 us, and windows of 200 to 400 units, which take no time yet. */
static struct slopes_data draw(size_t windows, size_t sites)
{
	random_seed(&dice, 3);
	for (size_t i = 0; i < windows * sites; i++) {
		uint64_t r = random_below(&dice, 4);

		level[i] = (unsigned char)(r < 2 ? 0 : r - 1);
		delay[i] = 5e-6 * level[i];
	}
	for (size_t w = 0; w < windows; w++)
		window[w] = (struct slopes_window){.progress = 200 + floor(200 * uniform()),
						   .latency = NAN,
						   .block = w / BLOCK};
	return (struct slopes_data){.windows = windows,
				    .sites = sites,
				    .window = window,
				    .level = level,
				    .delay = delay};
}

/* The delay of site s in window w. */
static double at(const struct slopes_data *d, size_t w, size_t s)
{
	return d->delay[w * d->sites + s];
}

/* The blocks differ, site s costs s / 2 a unit, and each unit's time has `noise`. */
static double unit_time(const struct slopes_data *d, size_t w, double noise)
{
	double time = BASE * (1 + 0.1 * (double)(window[w].block % 3));

	for (size_t s = 0; s < d->sites; s++)
		time += 0.5 * (double)s * at(d, w, s);
	return time * (1 + noise * (uniform() - 0.5));
}

static void fill(const struct slopes_data *d, double noise)
{
	for (size_t w = 0; w < d->windows; w++)
		window[w].time = window[w].progress * unit_time(d, w, noise);
}

static void test_algebra_is_solved_exactly(void **state)
{
	struct slopes_data d = draw(WINDOWS, 4);
	double n = 0, time = 0;

	(void)state;
	fill(&d, 0);
	for (size_t w = 0; w < d.windows; w++) {
		window[w].latency = 3 * window[w].time;
		n += window[w].progress;
		time += window[w].progress * BASE * (1 + 0.1 * (double)(window[w].block % 3));
	}
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	for (size_t s = 0; s < d.sites; s++) {
		assert_true(site[s].known);
		assert_near(site[s].slope.value, 0.5 * (double)s, 1e-9);
		assert_near(site[s].low.value, 0.5 * (double)s, 1e-9);
		assert_near(site[s].high.value, 0.5 * (double)s, 1e-9);
		assert_near(site[s].latency.value, 1.5 * (double)s, 1e-9);
		assert_true(site[s].slope.error < 1e-9);
	}
	assert_true(site[3].q < 1e-9);
	assert_near(all.unit.value, time / n, 1e-12);
	assert_int_equal(all.windows, WINDOWS);
}

static void test_noise_is_within_its_errors(void **state)
{
	struct slopes_data d = draw(WINDOWS, 12);

	(void)state;
	fill(&d, 0.1);
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	for (size_t s = 0; s < d.sites; s++) {
		double off = site[s].slope.value - 0.5 * (double)s;

		assert_true(site[s].slope.error > 0 && site[s].slope.error < 0.3);
		assert_true(fabs(off) < 4 * site[s].slope.error);
		assert_true(site[s].slope.freedom > WINDOWS / 4.0 &&
			    site[s].slope.freedom < WINDOWS);
	}
	assert_true(site[0].q > 0.05);
	assert_true(site[11].q < 0.05);
	assert_false(all.carry);
	assert_true(all.slowdown.value > 0);
}

static void test_the_busiest_threads_are_kept(void **state)
{
	enum { THREADS = SLOPES_THREADS + 3 };
	struct slopes_data d = draw(WINDOWS, 2);
	double busy[THREADS], calls[THREADS * 2], least = INFINITY;

	(void)state;
	for (size_t t = 0; t < THREADS; t++) {
		busy[t] = 1e-6 * (double)(1 + t * 5 % THREADS);
		calls[2 * t] = (double)t;
		calls[2 * t + 1] = 100 + (double)t;
	}
	busy[4] = NAN;
	d.threads = THREADS;
	d.busy = busy;
	d.calls = calls;
	fill(&d, 0.1);
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_true(site[0].threads > 0 && site[0].threads <= SLOPES_THREADS);
	for (size_t i = 0; i < site[0].threads; i++) {
		size_t t = (size_t)site[0].thread[i].calls;

		assert_true(t < THREADS && t != 4);
		assert_near(site[0].thread[i].busy, busy[t], 1e-15);
		assert_near(site[1].thread[i].calls, 100 + (double)t, 1e-9);
		least = fmin(least, busy[t]);
	}
	assert_near(least, 1e-6 * (THREADS - SLOPES_THREADS), 1e-15); /* 10 is not known */
}

/* 50 ms are stolen in one window of 50, and nobody tells. */
static void test_far_windows_count_for_less(void **state)
{
	struct slopes_data d = draw(WINDOWS, 4);

	(void)state;
	fill(&d, 0.1);
	for (size_t w = 0; w < d.windows; w += 50)
		window[w].time += 0.05;
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	for (size_t s = 0; s < d.sites; s++) {
		assert_true(site[s].slope.error < 0.15);
		assert_true(fabs(site[s].slope.value - 0.5 * (double)s) < 0.3);
	}
}

static void test_a_bend_is_told(void **state)
{
	struct slopes_data d = draw(WINDOWS, 3);

	(void)state;
	fill(&d, 0.02);
	for (size_t w = 0; w < d.windows; w++) {
		window[w].time += window[w].progress * 2 * fmax(0, at(&d, w, 0) - 5e-6);
		window[w].time += window[w].progress * 2 * fmin(5e-6, at(&d, w, 1));
	}
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_int_equal(site[0].shape, SLOPES_CONVEX);
	assert_int_equal(site[1].shape, SLOPES_CONCAVE);
	assert_int_equal(site[2].shape, SLOPES_STRAIGHT);
	assert_near(site[0].low.value, 0, 0.2);
	assert_near(site[0].high.value, 2, 0.3);
	assert_near(site[1].low.value, 2.5, 0.2);
	assert_near(site[1].high.value, 0.5, 0.3);
}

/* Two that wait for each other: the longer one of 0 and 1 counts. */
static void test_a_balance_is_told(void **state)
{
	struct slopes_data d = draw(WINDOWS, 3);

	(void)state;
	for (size_t w = 0; w < d.windows; w++)
		window[w].time = window[w].progress *
				 (BASE * (1 + 0.02 * uniform()) + fmax(at(&d, w, 0), at(&d, w, 1)));
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	for (size_t s = 0; s < 2; s++) {
		assert_int_equal(site[s].shape, SLOPES_CONDITIONAL);
		assert_int_equal(site[s].interacts, 1 - s);
		assert_true(site[s].others_slower.value < site[s].slope.value / 2);
		assert_true(site[s].bend.value > 0);
	}
	assert_int_equal(site[2].shape, SLOPES_STRAIGHT);
	assert_int_equal(site[2].interacts, SIZE_MAX);
	assert_true(isnan(site[2].others_slower.value));
}

static void test_what_falls_into_the_next_window_is_added(void **state)
{
	struct slopes_data d = draw(WINDOWS, 3);

	(void)state;
	fill(&d, 0.02);
	for (size_t w = 1; w < d.windows; w++)
		window[w].time += window[w].progress * 0.5 * at(&d, w - 1, 2);
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_true(all.carried < 0.01);
	assert_true(all.carry);
	assert_int_equal(all.carrier, 2);
	assert_near(site[2].slope.value, 1.5, 0.1);
	assert_near(site[1].slope.value, 0.5, 0.1);
}

static void expect_nothing(const struct slopes_data *d)
{
	assert_int_equal(slopes_fit(d, 0.05, &all, site), 0);
	assert_true(isnan(all.unit.value));
	assert_true(isnan(all.latency.value));
	for (size_t s = 0; s < d->sites && s < SLOPES_SITES; s++) {
		assert_false(site[s].known);
		assert_true(isnan(site[s].slope.value) && isnan(site[s].q));
		assert_int_equal(site[s].interacts, SIZE_MAX);
	}
}

static void test_nothing_is_said_where_nothing_is_known(void **state)
{
	struct slopes_data d = draw(SLOPES_WINDOWS - 1, 4);

	(void)state;
	fill(&d, 0.1);
	expect_nothing(&d);
	d.windows = 0;
	expect_nothing(&d);
	d = draw(WINDOWS, 4);
	fill(&d, 0.1);
	for (size_t w = 0; w < d.windows; w++)
		window[w].progress = 0;
	expect_nothing(&d);
	fill(&d, 0.1);
	for (size_t w = 0; w < d.windows; w++)
		window[w].time = w % 2 ? NAN : -1;
	expect_nothing(&d);
}

static void test_a_site_that_was_not_drawn_is_unknown(void **state)
{
	struct slopes_data d = draw(WINDOWS, 4);

	(void)state;
	fill(&d, 0.1);
	for (size_t w = 0; w < d.windows; w++) {
		delay[w * 4] = 0;
		delay[w * 4 + 1] = 5e-6;
	}
	delay[4 * 17 + 2] = NAN;
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_false(site[0].known || site[1].known || site[2].known);
	assert_true(site[3].known);
	assert_true(isnan(site[0].q));
	assert_true(isfinite(all.unit.value));
	assert_true(isnan(all.latency.value));
	d.sites = 0;
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_true(isfinite(all.unit.value));
}

/* Two sites that are always delayed together: what one of them costs cannot be said. */
static void test_sites_that_were_drawn_alike_are_one(void **state)
{
	struct slopes_data d = draw(WINDOWS, 3);

	(void)state;
	for (size_t w = 0; w < d.windows; w++) {
		level[w * 3 + 1] = level[w * 3 + 2];
		delay[w * 3 + 1] = delay[w * 3 + 2];
	}
	fill(&d, 0.02);
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_true(site[1].known != site[2].known);
	assert_near(site[1].known ? site[1].slope.value : site[2].slope.value, 1.5, 0.1);
}

/* Whatever the numbers: no crash, no loop, and no infinity. */
static void test_any_number_is_borne(void **state)
{
	static const double odd[] = {0, 1e300, 1e-300, -1, NAN, INFINITY, 5e-324, 1.7e308};
	struct slopes_data d = draw(WINDOWS, SLOPES_SITES);

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		fill(&d, 0.1);
		for (size_t k = 0; k < 60; k++) {
			size_t w = random_below(&dice, WINDOWS);
			double x = odd[random_below(&dice, i % 9) ? random_below(&dice, 8) : 0];

			switch (random_below(&dice, 4)) {
			case 0:
				window[w].time = x;
				break;
			case 1:
				window[w].progress = x;
				break;
			case 2:
				window[w].latency = x;
				break;
			default:
				level[w] = (unsigned char)random_next(&dice);
			}
		}
		d.windows = 40 + 40 * (i % 10);
		assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
		for (size_t s = 0; s < d.sites; s++)
			assert_false(isinf(site[s].slope.value) || isinf(site[s].slope.error));
	}
}

static void test_more_sites_than_windows_are_fitted_apart(void **state)
{
	struct slopes_data d = draw(100, SLOPES_SITES);

	(void)state;
	for (size_t w = 0; w < d.windows; w++)
		window[w].time = window[w].progress * (BASE + 5 * at(&d, w, 7));
	assert_int_equal(slopes_fit(&d, 0.05, &all, site), 0);
	assert_near(site[7].slope.value, 5, 1);
	assert_true(site[7].q < 0.05);
	for (size_t s = 0; s < d.sites; s++)
		assert_true(site[s].known && site[s].slope.error > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_algebra_is_solved_exactly),
		cmocka_unit_test(test_noise_is_within_its_errors),
		cmocka_unit_test(test_the_busiest_threads_are_kept),
		cmocka_unit_test(test_far_windows_count_for_less),
		cmocka_unit_test(test_a_bend_is_told),
		cmocka_unit_test(test_a_balance_is_told),
		cmocka_unit_test(test_what_falls_into_the_next_window_is_added),
		cmocka_unit_test(test_nothing_is_said_where_nothing_is_known),
		cmocka_unit_test(test_a_site_that_was_not_drawn_is_unknown),
		cmocka_unit_test(test_sites_that_were_drawn_alike_are_one),
		cmocka_unit_test(test_any_number_is_borne),
		cmocka_unit_test(test_more_sites_than_windows_are_fitted_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
