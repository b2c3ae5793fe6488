// SPDX-License-Identifier: GPL-3.0-or-later
/* Rounds, and the costs of reading that are made of them. What a reading costs
 * is the machine's affair; that every way is there and has an interval is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "collector/clocks/clock_costs.h"
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

static bool has(const struct clock_costs *c, const char *name, enum clock_place place)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->cost[i].way->name, name) && c->cost[i].way->place == place)
			return true;
	return false;
}

static void every_way_is_measured_with_its_interval(void **state)
{
	struct clock_costs c;

	(void)state;
	assert_int_equal(clock_costs_measure(&c, true, 3), 0);
	assert_int_equal(c.rounds, 3);
	assert_true(has(&c, "shared word", CLOCK_IN_MEMORY));
	assert_true(has(&c, "CLOCK_MONOTONIC_COARSE", CLOCK_IN_LIBRARY));
	assert_true(has(&c, "CLOCK_MONOTONIC", CLOCK_IN_LIBRARY));
	assert_true(has(&c, "CLOCK_MONOTONIC", CLOCK_SYSTEM_CALL));
	assert_true(has(&c, "CLOCK_THREAD_CPUTIME_ID", CLOCK_SYSTEM_CALL));
	assert_true(has(&c, "getrusage", CLOCK_SYSTEM_CALL));
#ifdef __x86_64__
	assert_true(has(&c, "rdtsc", CLOCK_INSTRUCTION));
	assert_true(has(&c, "lfence; rdtsc", CLOCK_INSTRUCTION));
#endif
	for (size_t i = 0; i < c.count; i++) {
		const struct clock_cost *cost = &c.cost[i];

		assert_true(cost->flow.low <= cost->flow.mean &&
			    cost->flow.mean <= cost->flow.high);
		assert_true(cost->alone.low <= cost->alone.mean &&
			    cost->alone.mean <= cost->alone.high);
	}
}

static void the_clocks_of_profiles_have_one_way_each(void **state)
{
	struct clock_costs c;

	(void)state;
	assert_int_equal(clock_costs_measure(&c, false, 2), 0);
	assert_int_equal(c.count, 5);
	for (enum scp_clock_kind kind = SCP_CLOCK_TSC; kind <= SCP_CLOCK_THREAD_CPU; kind++) {
		assert_non_null(clock_costs_find(&c, kind));
		assert_int_equal(clock_costs_find(&c, kind)->way->kind, kind);
	}
	assert_null(clock_costs_find(&c, SCP_CLOCK_NONE));
}

static const struct clock_way library = {.name = "a", .place = CLOCK_IN_LIBRARY},
			      call = {.name = "a", .place = CLOCK_SYSTEM_CALL},
			      other = {.name = "b", .place = CLOCK_SYSTEM_CALL};

static void a_library_as_dear_as_the_kernel_is_a_system_call(void **state)
{
	struct clock_costs c = {.cost = {{.way = &library, .flow = {.mean = 30}},
					 {.way = &other, .flow = {.mean = 10}},
					 {.way = &call, .flow = {.mean = 150}}},
				.count = 3};

	(void)state;
	assert_string_equal(clock_costs_place(&c, &c.cost[0]), "vDSO");
	c.cost[0].flow.mean = 149;
	assert_string_equal(clock_costs_place(&c, &c.cost[0]), "system call");
	assert_string_equal(clock_costs_place(&c, &c.cost[2]), "system call");
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
		cmocka_unit_test(every_way_is_measured_with_its_interval),
		cmocka_unit_test(the_clocks_of_profiles_have_one_way_each),
		cmocka_unit_test(a_library_as_dear_as_the_kernel_is_a_system_call),
		cmocka_unit_test(stolen_time_is_a_share_of_all),
		cmocka_unit_test(the_kernels_line_is_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
