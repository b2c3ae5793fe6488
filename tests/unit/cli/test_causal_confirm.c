// SPDX-License-Identifier: GPL-3.0-or-later
/* What runs of both programs say of a prediction, from made-up runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/causal/causal_private.h"
#include "tests/unit/support/near.h"

#define RUNS 4

static const struct slopes_value unknown = {NAN, NAN, NAN};
static struct causal_result_site site;
static struct causal_row row;
static struct causal_sites sites;
static struct causal_result result;
static struct causal_report report;
static const struct causal_options options = {.confirm = "write", .faster = 0.1};

/* A unit of 100 us with a call of 20 us: a tenth of it is 2.04 %. */
static int set_up(void **state)
{
	(void)state;
	site.slopes = (struct slopes_site){.slope = {1, 0.05, 1000},
					   .low = {1, 0.05, 1000},
					   .high = {1, 0.05, 1000},
					   .others_slower = unknown,
					   .bend = unknown,
					   .latency = unknown,
					   .latency_bend = unknown,
					   .known = true};
	result.slopes = (struct slopes){.unit = {1e-4, 0, 1000}, .latency = unknown};
	row = (struct causal_row){.site = &site, .told = true};
	row.found = (struct causal_found){.function = "write", .mean = {20e-6, 0, 1000}};
	report = (struct causal_report){.result = &result, .sites = &sites, .row = &row, .rows = 1};
	return 0;
}

/* Throughput `gain` times as high, with `noise` from run to run; calls 10 % shorter. */
static struct causal_confirmed confirm(double gain, double noise)
{
	static const double swing[RUNS] = {1, -1, -0.5, 0.5};
	double rate[2][RUNS], mean[2][RUNS];
	struct causal_confirmed out = {0};

	for (int i = 0; i < RUNS; i++) {
		rate[0][i] = 10000;
		rate[1][i] = 10000 * gain * (1 + noise * swing[i]);
		mean[0][i] = 20e-6;
		mean[1][i] = 18e-6;
	}
	causal_confirm_settle(
		&(struct causal_confirm_runs){RUNS, {rate[0], rate[1]}, {mean[0], mean[1]}},
		&options, &report, &out);
	return out;
}

static void test_what_came_is_compared(void **state)
{
	struct causal_confirmed c = confirm(100.0 / 98, 1e-4);

	(void)state;
	assert_near(c.predicted.percent, 100 * (100.0 / 98 - 1), 1e-9);
	assert_near(c.measured.value, 0.1, 1e-9);
	assert_near(c.for_measured.percent, c.predicted.percent, 1e-6);
	assert_near(c.realised.value, c.predicted.percent, 0.01);
	assert_true(c.known && c.agrees && !c.too_wide);
	c = confirm(1.04, 1e-4);
	assert_true(c.known && !c.agrees);
	c = confirm(1, 1e-4);
	assert_true(c.known && !c.agrees);
	c = confirm(1.02, 0.1);
	assert_true(c.too_wide && !c.known);
}

/* Another thread is busy for 95 us: a tenth of 5 % at the least, less what is not known of 2 %. */
static void test_a_bound_holds_on_its_side(void **state)
{
	struct causal_confirmed c;

	(void)state;
	site.slopes.threads = 1;
	site.slopes.thread[0] = (struct slopes_thread){95e-6, 0};
	c = confirm(1.005, 1e-5);
	assert_true(c.predicted.at_most);
	assert_near(c.predicted.low, 100 * (1 / 1.015 - 1), 1e-9);
	assert_near(c.predicted.percent, 100 * (1 / 0.98 - 1), 1e-9);
	assert_true(c.known && c.agrees);
	c = confirm(0.97, 1e-5); /* below the lower limit: at most is at most */
	assert_true(c.known && c.agrees && c.realised.value < c.predicted.low);
	assert_true(confirm(1.05, 1e-5).known && !confirm(1.05, 1e-5).agrees);
}

static void test_sites_add_up_with_limits_of_their_own(void **state)
{
	struct causal_row rows[2] = {row, row};
	struct causal_confirmed one = confirm(1, 0), two;

	(void)state;
	report.row = rows;
	report.rows = 2;
	two = confirm(1, 0);
	assert_near(two.predicted.percent, 2 * one.predicted.percent, 1e-9);
	assert_near(two.predicted.high - two.predicted.percent,
		    sqrt(2) * (one.predicted.high - one.predicted.percent), 1e-9);
	assert_near(two.predicted.percent - two.predicted.low,
		    sqrt(2) * (one.predicted.percent - one.predicted.low), 1e-9);
	rows[1].found.function = "read";
	assert_near(confirm(1, 0).predicted.percent, one.predicted.percent, 1e-9);
	rows[0].told = false;
	two = confirm(1, 0);
	assert_true(isnan(two.predicted.percent) && !two.known && !two.agrees);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_what_came_is_compared, set_up),
		cmocka_unit_test_setup(test_a_bound_holds_on_its_side, set_up),
		cmocka_unit_test_setup(test_sites_add_up_with_limits_of_their_own, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
