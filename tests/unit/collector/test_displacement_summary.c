// SPDX-License-Identifier: GPL-3.0-or-later
/* What several runs say together, and what they must not say: interrupts take no negative
 * time. And the confirmation's verdict, from made-up runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/displacement/displacement_summary.h"
#include "tests/unit/support/near.h"

#define RUNS 6

static struct displacement_cpu cpu[RUNS];

/* Runs of one second of CPU time, one CPU, of which `uncharged` is what the windows say. */
static void make_runs(struct displacement_run *run, size_t runs, double uncharged, double error)
{
	memset(cpu, 0, sizeof(cpu));
	for (size_t i = 0; i < runs; i++) {
		run[i] = (struct displacement_run){
			.program = 1,
			.uncharged = {uncharged + 1e-3 * (double)(i % 2), error, 20},
			.cpu = &cpu[i],
			.cpus = 1,
			.accounting = {.rusage = 1, .task_clock = NAN},
		};
		run[i].displacement = run[i].uncharged;
		run[i].displacement.value += 1;
	}
}

static struct displacement_summary summary(const struct displacement_run *run, size_t runs)
{
	struct displacement_summary s;

	assert_int_equal(displacement_summary_make(&s, run, runs, 0.95), 0);
	return s;
}

static void test_an_interval_below_zero_is_no_number_but_a_warning(void **state)
{
	struct displacement_run run[RUNS];

	(void)state;
	for (size_t runs = 1; runs <= RUNS; runs += RUNS - 1) {
		make_runs(run, runs, -0.05, 0.01);
		struct displacement_summary s = summary(run, runs);

		assert_int_equal(s.verdict, DISPLACEMENT_NOTHING_SAID);
		assert_true(s.warnings & DISPLACEMENT_DISTURBED);
		assert_false(s.warnings & DISPLACEMENT_SHORT);
		assert_false(isfinite(s.uncharged.mean) || isfinite(s.uncharged.low) ||
			     isfinite(s.uncharged.high));
		assert_false(isfinite(s.displacement.low) || isfinite(s.share));
		displacement_summary_free(&s);
	}
	assert_false(displacement_summary_is_possible(run[0].uncharged, 0.95));
}

static void test_a_little_below_zero_is_zero_within_the_error(void **state)
{
	struct displacement_run run[1];

	(void)state;
	make_runs(run, 1, -0.01, 0.01);
	struct displacement_summary s = summary(run, 1);
	assert_int_equal(s.verdict, DISPLACEMENT_ALL_CHARGED);
	assert_false(s.warnings & DISPLACEMENT_DISTURBED);
	assert_near(s.uncharged.mean, -0.01, 1e-12);
	assert_true(displacement_summary_is_possible(run[0].uncharged, 0.95));
	displacement_summary_free(&s);
	make_runs(run, 1, 0.05, 0.01);
	s = summary(run, 1);
	assert_int_equal(s.verdict, DISPLACEMENT_UNCHARGED);
	assert_near(s.share, 0.05, 1e-12);
	displacement_summary_free(&s);
}

/* Other tasks had 2 s of the CPUs. What was seen is the least that there was; the most is all that
 * they had. */
static void test_a_bound_says_what_it_does_not_know(void **state)
{
	struct displacement_run run[1];

	(void)state;
	make_runs(run, 1, 0.05, 0.01);
	struct displacement_summary s = summary(run, 1);
	double high = s.uncharged.high;

	assert_false(s.bound);
	displacement_summary_free(&s);
	run[0].bound = true;
	run[0].hidden = 2;
	s = summary(run, 1);
	assert_true(s.bound);
	assert_int_equal(s.verdict, DISPLACEMENT_UNCHARGED);
	assert_near(s.uncharged.mean, 0.05, 1e-12);
	assert_near(s.uncharged.high, high + 2, 1e-12);
	assert_near(s.displacement.high, 1 + high + 2, 1e-12);
	assert_near(s.share_high, high + 2, 1e-12);
	displacement_summary_free(&s);
	/* what cannot be is no bound either, however long the others' time is */
	make_runs(run, 1, -0.05, 0.01);
	run[0].bound = true;
	run[0].hidden = 2;
	s = summary(run, 1);
	assert_int_equal(s.verdict, DISPLACEMENT_NOTHING_SAID);
	displacement_summary_free(&s);
}

static void test_task_clock_is_the_first_runs(void **state)
{
	struct displacement_run run[RUNS];

	(void)state;
	make_runs(run, RUNS, 0, 0.01);
	run[0].accounting.task_clock = 0.9;
	strcpy(run[1].accounting.task_clock_why, "left out");
	struct displacement_summary s = summary(run, RUNS);
	assert_near(s.accounting.task_clock, 0.9, 1e-12);
	assert_string_equal(s.accounting.task_clock_why, "");
	displacement_summary_free(&s);
	run[0].accounting.task_clock = NAN;
	strcpy(run[0].accounting.task_clock_why, "left out");
	s = summary(run, RUNS);
	assert_false(isfinite(s.accounting.task_clock));
	assert_string_equal(s.accounting.task_clock_why, "left out");
	displacement_summary_free(&s);
}

/* A confirmation by hand: elapsed seconds of one CPU, of which `used` the command's and `idle`
 * nobody's. */
static void confirm(struct displacement_confirm *c, double elapsed, double used, double idle)
{
	struct rusage usage = {.ru_utime = {(long)used, (long)(1e6 * (used - floor(used)))}};

	c->wall_s += elapsed;
	c->idle_now = idle;
	displacement_confirm_add(c, &usage);
}

static void test_confirmation_is_what_was_charged_and_idle(void **state)
{
	struct displacement_confirm c;
	struct displacement_run run[2];
	cpu_set_t set;

	(void)state;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	assert_int_equal(displacement_confirm_begin(&c, &set, 2), 0);
	confirm(&c, 1, 0.95, 0.01);
	assert_near(c.taken[0], 0.96, 1e-6);
	assert_near(c.had, 0.95, 1e-6);
	assert_near(c.idle, 0.01, 1e-6);
	assert_true(displacement_confirm_holds(&c));
	/* the other tasks' 40 % took its interrupts */
	confirm(&c, 1, 0.55, 0.01);
	assert_false(displacement_confirm_holds(&c));
	/* beside the fluid: 1 s; without: 0.95 and 0.55 */
	make_runs(run, 2, 0, 0.01);
	struct displacement_summary s = summary(run, 2);
	assert_near(displacement_confirm_effect(&c, &s).mean, 1 / 0.75, 1e-6);
	assert_true(displacement_confirm_effect(&c, &s).low < 1 / 0.75);
	displacement_summary_free(&s);
	free(c.elapsed);
	/* idle for a tenth */
	assert_int_equal(displacement_confirm_begin(&c, &set, 1), 0);
	confirm(&c, 1, 0.9, 0.1);
	assert_false(displacement_confirm_holds(&c));
	free(c.elapsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_interval_below_zero_is_no_number_but_a_warning),
		cmocka_unit_test(test_a_little_below_zero_is_zero_within_the_error),
		cmocka_unit_test(test_a_bound_says_what_it_does_not_know),
		cmocka_unit_test(test_task_clock_is_the_first_runs),
		cmocka_unit_test(test_confirmation_is_what_was_charged_and_idle),
	};

	return cmocka_run_group_tests_name("displace summary", tests, NULL, NULL);
}
