// SPDX-License-Identifier: GPL-3.0-or-later
/* The arithmetic and the verdicts of the clock self-test; what it measures is
 * the machine's affair. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "clocks_private.h"

static void names_read_back(void **state)
{
	(void)state;
	for (enum scp_clock_kind kind = SCP_CLOCK_TSC; kind <= SCP_CLOCK_DUAL; kind++)
		assert_int_equal(clocks_parse(clocks_name(kind)), kind);
	assert_int_equal(clocks_parse("none"), SCP_CLOCK_NONE);
	assert_int_equal(clocks_parse(""), SCP_CLOCK_NONE);
	assert_int_equal(clocks_parse("TSC"), SCP_CLOCK_NONE);
	for (int i = 1; i <= CLOCKS_TESTED; i++)
		assert_int_equal(clocks_source((enum scp_clock_kind)i)->kind, i);
}

static void a_rate_carries_the_error_of_its_pairs(void **state)
{
	struct clock_pair a = {1000, 5000000, 100}, b = {1000 + 2700000, 6000000, 300};
	double error, rate = clocks_rate(&a, &b, &error);

	(void)state;
	assert_true(fabs(rate - 2.7) < 1e-12);
	assert_true(fabs(error - 200e-6) < 1e-12);
}

static struct clock_test sound(enum scp_clock_kind kind)
{
	return (struct clock_test){.kind = kind,
				   .step_ns = 1,
				   .read_ns = 20,
				   .cpus = 1,
				   .comparisons = 1000,
				   .drift_ppm = 1,
				   .drift_error_ppm = 1};
}

static void sound_clocks_are_good(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_TSC);

	(void)state;
	clocks_judge(&t, true, "");
	assert_true(t.usable);
	assert_string_equal(t.verdict, "good");
	t = sound(SCP_CLOCK_COARSE);
	clocks_judge(&t, true, "");
	assert_string_equal(t.verdict, "good: coarse, use with enough calls");
}

static void unsound_clocks_are_not_usable(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_TSC);

	(void)state;
	clocks_judge(&t, false, "the kernel does not trust it");
	assert_false(t.usable);
	assert_non_null(strstr(t.verdict, "not usable: the kernel does not trust it"));
	t = sound(SCP_CLOCK_TSC);
	t.backward = 1;
	t.backward_max_ns = 250;
	clocks_judge(&t, true, "");
	assert_false(t.usable);
	assert_non_null(strstr(t.verdict, "backwards"));
	t = sound(SCP_CLOCK_MONOTONIC);
	t.step_ns = 0;
	clocks_judge(&t, true, "");
	assert_false(t.usable);
	t = sound(SCP_CLOCK_TSC);
	t.drift_ppm = 2000;
	clocks_judge(&t, true, "");
	assert_false(t.usable);
}

static void weaknesses_are_named(void **state)
{
	struct clock_test t = sound(SCP_CLOCK_MONOTONIC);

	(void)state;
	t.read_ns = 900;
	clocks_judge(&t, true, "");
	assert_true(t.usable);
	assert_non_null(strstr(t.verdict, "slow to read"));
	t = sound(SCP_CLOCK_PAGE);
	t.late_share = 0.2;
	clocks_judge(&t, true, "");
	assert_non_null(strstr(t.verdict, "late in 20.0 %"));
}

static void the_default_has_a_reason(void **state)
{
	char reason[256] = "";
	enum scp_clock_kind kind = clocks_default(reason, sizeof(reason));

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
		cmocka_unit_test(weaknesses_are_named),
		cmocka_unit_test(the_default_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
