// SPDX-License-Identifier: GPL-3.0-or-later
/* Rounds, and the costs of reading that are made of them. What a reading costs
 * is the machine's affair; that every clock is there and has an interval is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "collector/clocks/clocks_private.h"
#include "collector/machine/cpu_times.h"

static void a_median_ignores_what_interruptions_add(void **state)
{
	double quiet[] = {5, 1, 3, 2, 4}, disturbed[] = {5000, 1, 3, 2, 4000},
	       even[] = {4, 1, 3, 2};

	(void)state;
	assert_true(replications_median(quiet, 5) == 3);
	assert_true(replications_median(disturbed, 5) == 3);
	assert_true(replications_median(even, 4) == 2);
	assert_true(isnan(replications_median(even, 0)));
}

static void the_interval_is_students(void **state)
{
	const double value[] = {1, 2, 3};
	struct replications_mean m = replications_mean(value, 3, 0.95);

	(void)state;
	/* t with 2 degrees of freedom at 97.5 %: 4.30265; s = 1 */
	assert_true(m.mean == 2);
	assert_true(fabs(m.high - 2 - 4.30265 / sqrt(3)) < 1e-5);
	assert_true(fabs(2 - m.low - 4.30265 / sqrt(3)) < 1e-5);
	m = replications_mean(value, 1, 0.95);
	assert_true(m.mean == 1 && isinf(m.low) && isinf(m.high));
	assert_true(isnan(replications_mean(value, 0, 0.95).mean));
}

static void every_clock_has_both_costs_with_intervals(void **state)
{
	static struct clocks_report r;

	(void)state;
	assert_int_equal(clock_costs_measure(&r, 3), 0);
	assert_int_equal(r.read_rounds, 3);
	for (int i = 0; i < CLOCKS_TESTED; i++) {
		const struct replications_mean *both[] = {&r.clock[i].read, &r.clock[i].read_alone};

		for (int k = 0; k < 2; k++) {
			assert_int_equal(both[k]->n, 3);
			assert_true(both[k]->low <= both[k]->mean &&
				    both[k]->mean <= both[k]->high);
		}
	}
}

static void a_system_call_costs_more_than_a_word_of_memory(void **state)
{
	static struct clocks_report r;

	(void)state;
	assert_int_equal(clock_costs_measure(&r, 3), 0);
	assert_true(clocks_test_of(&r, SCP_CLOCK_THREAD_CPU)->read.mean >
		    clocks_test_of(&r, SCP_CLOCK_PAGE)->read.mean);
	assert_true(clock_costs_monotonic_ns() > 0);
}

static void stolen_time_is_a_share_of_all(void **state)
{
	struct cpu_times_steal from = {10, 1000}, to = {35, 1100}, now = cpu_times_steal_read();

	(void)state;
	assert_true(cpu_times_steal_share(&from, &to) == 0.25);
	assert_true(isnan(cpu_times_steal_share(&from, &from)));
	assert_true(isnan(cpu_times_steal_share(&to, &from)));
	assert_true(now.all > 0 && now.stolen < now.all);
}

static void the_kernels_line_is_understood(void **state)
{
	struct cpu_times_steal s =
		cpu_times_steal_parse("cpu  1 20 300 4000 50000 600000 7000000 80000000 9 10\n");

	(void)state;
	assert_int_equal(s.stolen, 80000000);
	assert_int_equal(s.all, 87654321);
	assert_int_equal(cpu_times_steal_parse("cpu  1 20 300 4000 50000 600000 7000000\n").all, 0);
	assert_int_equal(cpu_times_steal_parse("intr 1 2 3 4 5 6 7 8 9\n").all, 0);
	assert_int_equal(cpu_times_steal_parse("").all, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_median_ignores_what_interruptions_add),
		cmocka_unit_test(the_interval_is_students),
		cmocka_unit_test(every_clock_has_both_costs_with_intervals),
		cmocka_unit_test(a_system_call_costs_more_than_a_word_of_memory),
		cmocka_unit_test(stolen_time_is_a_share_of_all),
		cmocka_unit_test(the_kernels_line_is_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
