// SPDX-License-Identifier: GPL-3.0-or-later
/* The arithmetic and the verdicts of the clock self-test; what it measures is
 * the machine's affair. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "collector/clocks/clocks_private.h"

static void names_read_back(void **state)
{
	(void)state;
	for (enum scp_clock_kind kind = SCP_CLOCK_TSC; kind <= SCP_CLOCK_DUAL; kind++)
		assert_int_equal(clocks_read_parse(clocks_read_name(kind)), kind);
	assert_int_equal(clocks_read_parse("none"), SCP_CLOCK_NONE);
	assert_int_equal(clocks_read_parse(""), SCP_CLOCK_NONE);
	assert_int_equal(clocks_read_parse("TSC"), SCP_CLOCK_NONE);
	for (int i = 1; i <= CLOCKS_TESTED; i++)
		assert_int_equal(clocks_read_source((enum scp_clock_kind)i)->kind, i);
}

static void a_rate_carries_the_error_of_its_pairs(void **state)
{
	struct scp_anchor a = {1000, 5000000, 100}, b = {1000 + 2700000, 6000000, 300};
	double error, rate = clocks_measure_rate(&a, &b, &error);

	(void)state;
	assert_true(fabs(rate - 2.7) < 1e-12);
	assert_true(fabs(error - 200e-6) < 1e-12);
}

static struct clock_test sound(enum scp_clock_kind kind)
{
	return (struct clock_test){.kind = kind,
				   .step_ns = 1,
				   .claimed_ns = 1e6,
				   .read = {.mean = 20, .low = 19, .high = 21},
				   .cpus = 1,
				   .comparisons = 1000,
				   .ticks = {.mean_ns = NAN},
				   .drift_ppm = 1,
				   .drift_error_ppm = 1};
}

static void assert_says(const struct clock_test *t, const char *words)
{
	if (!strstr(t->verdict, words))
		fail_msg("'%s' is not in: %s", words, t->verdict);
}

static void assert_verdict(const struct clock_test *t, const char *beginning)
{
	if (strncmp(t->verdict, beginning, strlen(beginning)))
		fail_msg("does not begin with '%s': %s", beginning, t->verdict);
}

static void sound_clocks_are_good(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_TSC);

	(void)state;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_true(t.usable);
	assert_string_equal(t.verdict, "good: times single calls; a reading takes 20 ns, 5 % of a "
				       "call of 400 ns");
	assert_true(t.smallest_mean_ns == 400);
	t = sound(SCP_CLOCK_COARSE);
	clocks_verdict_judge(&t, true, "", NULL);
	assert_verdict(&t, "good: coarse; a million calls give a mean of 1.53 us or more to within "
			   "5 %");
	t = sound(SCP_CLOCK_PAGE);
	clocks_verdict_judge(&t, true, "", NULL);
	assert_verdict(&t, "good: coarse");
}

/* Beilner's Table 15 at (95, 0.1), rounded to hundreds and with w = 3.94 for 3.92. */
static void the_smallest_mean_is_beilners(void **state)
{
	(void)state;
	assert_true(fabs(clocks_verdict_smallest_mean(20, 29500, 0.95, 0.1) - 1) < 0.015);
	assert_true(fabs(clocks_verdict_smallest_mean(40, 60500, 0.95, 0.1) - 1) < 0.015);
	assert_true(fabs(clocks_verdict_smallest_mean(200, 308900, 0.95, 0.1) - 1) < 0.015);
	/* four times the calls: nearly a quarter of the mean */
	assert_true(fabs(clocks_verdict_smallest_mean(1e6, 4e6, 0.95, 0.1) /
				 clocks_verdict_smallest_mean(1e6, 1e6, 0.95, 0.1) -
			 0.25) < 0.001);
}

/* A clock that steps by 7 at every thousandth reading, and that nobody can read for a while,
 * as on a busy machine: by then the time to look was over, and no step had been seen. */
static unsigned int readings;

static uint64_t interrupted_reader(void)
{
	struct timespec pause = {.tv_nsec = 60000000};

	if (++readings == 20)
		nanosleep(&pause, NULL);
	return readings / 1000 * 7;
}

static uint64_t stopped_reader(void)
{
	return 5;
}

static void a_busy_machine_does_not_stop_a_clock(void **state)
{
	(void)state;
	readings = 0;
	assert_int_equal(clocks_measure_smallest_step(interrupted_reader, 0.02), 7);
	assert_int_equal(clocks_measure_smallest_step(stopped_reader, 0.001), 0);
}

static void few_comparisons_are_named(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_TSC);

	(void)state;
	t.cpus = 1;
	t.comparisons = 10000;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_null(strstr(t.verdict, "hardly compared"));
	t.comparisons = 1;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_true(t.usable);
	assert_says(&t, "hardly compared across CPUs");
	t.cpus = 0; /* one CPU: nothing to compare */
	clocks_verdict_judge(&t, true, "", NULL);
	assert_null(strstr(t.verdict, "hardly compared"));
}

static void the_observed_tick_counts_not_the_one_asked_for(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_PAGE);

	(void)state;
	clocks_verdict_judge(&t, true, "", NULL);
	double asked = t.smallest_mean_ns;
	t = sound(SCP_CLOCK_PAGE);
	t.ticks.mean_ns = 2e6;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_true(fabs(t.smallest_mean_ns / asked - 2) < 1e-9);
	/* where reading is dear, that is the limit */
	t = sound(SCP_CLOCK_COARSE);
	t.read.mean = 1000;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_true(t.smallest_mean_ns == 20000);
}

static void unsound_clocks_are_not_usable(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_TSC);

	(void)state;
	clocks_verdict_judge(&t, false, "the kernel does not trust it", NULL);
	assert_false(t.usable);
	assert_verdict(&t, "not usable: the kernel does not trust it");
	t = sound(SCP_CLOCK_TSC);
	t.backward = 1;
	t.backward_max_ns = 250;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_false(t.usable);
	assert_says(&t, "backwards");
	t = sound(SCP_CLOCK_MONOTONIC);
	t.step_ns = 0;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_false(t.usable);
	t = sound(SCP_CLOCK_TSC);
	t.drift_ppm = 2000;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_false(t.usable);
}

static void weaknesses_are_named(void **state)
{
	const struct clock_lateness busy = {.busy = true, .share = 0.25};
	struct clock_test t = sound(SCP_CLOCK_MONOTONIC);

	(void)state;
	t.read.mean = 900;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_true(t.usable);
	assert_verdict(&t, "usable");
	assert_says(&t, "slow to read");
	t = sound(SCP_CLOCK_PAGE);
	t.late.share = 0.2;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_verdict(&t, "usable");
	assert_says(&t, "late in 20.0 %");
	t = sound(SCP_CLOCK_PAGE);
	clocks_verdict_judge(&t, true, "", &busy);
	assert_verdict(&t, "good");
	assert_says(&t, "late in 25.0 % of the ticks when all CPUs are busy");
}

static void steps_are_named(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_MONOTONIC);

	(void)state;
	t.steps = 3;
	t.step_max_ns = -2500;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_verdict(&t, "usable");
	assert_says(&t, "stepped 3 times against the raw clock, by up to -2.5 us");
	t = sound(SCP_CLOCK_TSC);
	t.steps = 1;
	t.step_max_ns = 1e6;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_verdict(&t, "usable");
	t = sound(SCP_CLOCK_COARSE);
	t.steps = 2;
	t.step_max_ns = 4e6;
	clocks_verdict_judge(&t, true, "", NULL);
	assert_says(&t, "2 times several ticks came at once, up to 4 ms of them");
}

static void lateness_is_a_mean_over_ticks(void **state)
{
	const struct ticker_stats none = {0}, some = {.ticks = 50,
						      .late_sum_ns = 5000,
						      .late_max_ns = 900,
						      .late_ticks = 5,
						      .scheduling = "ordinary"};
	struct clock_lateness l = {.tick_ns = 1e6};

	(void)state;
	clocks_late_set(&l, &some);
	assert_true(l.mean_ns == 100 && l.max_ns == 900 && l.share == 0.1 && l.ticks == 50);
	assert_string_equal(l.scheduling, "ordinary");
	clocks_late_set(&l, &none);
	assert_true(l.mean_ns == 0 && l.share == 0);
}

static void the_default_has_a_reason(void **state)
{
	char reason[256] = "";
	enum scp_clock_kind kind = clocks_verdict_default(reason, sizeof(reason));

	(void)state;
	assert_true(kind == SCP_CLOCK_TSC || kind == SCP_CLOCK_MONOTONIC ||
		    kind == SCP_CLOCK_COARSE);
	assert_true(*reason);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_read_back),
		cmocka_unit_test(a_rate_carries_the_error_of_its_pairs),
		cmocka_unit_test(sound_clocks_are_good),
		cmocka_unit_test(unsound_clocks_are_not_usable),
		cmocka_unit_test(the_smallest_mean_is_beilners),
		cmocka_unit_test(the_observed_tick_counts_not_the_one_asked_for),
		cmocka_unit_test(a_busy_machine_does_not_stop_a_clock),
		cmocka_unit_test(few_comparisons_are_named),
		cmocka_unit_test(weaknesses_are_named),
		cmocka_unit_test(steps_are_named),
		cmocka_unit_test(lateness_is_a_mean_over_ticks),
		cmocka_unit_test(the_default_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
