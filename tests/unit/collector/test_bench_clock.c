// SPDX-License-Identifier: GPL-3.0-or-later
/* The clock that bench measures with: the counter's rate, calibrated in made-up time, in which it
 * is known. All that reads a clock or waits goes through the test (--wrap). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/clocks/clocks_private.h"
#include "collector/bench/bench.h"

#define UNITS_A_NS 3

const struct clock_source *__wrap_clocks_read_source(enum scp_clock_kind kind);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
bool __wrap_clocks_verdict_trusts_counter(char *why, size_t size);
int __wrap_usleep(useconds_t us);

static bool trusted;
static uint64_t now_ns, readings;

/* Most readings are interrupted for long: the narrowest pairing has to be found among them. */
static uint64_t read_counter(void)
{
	now_ns += readings++ % 40 == 17 ? 10 : 1000000;
	uint64_t units = UNITS_A_NS * now_ns;
	now_ns += 10;
	return units;
}

const struct clock_source *__wrap_clocks_read_source(enum scp_clock_kind kind)
{
	static const struct clock_source counter = {.kind = SCP_CLOCK_TSC, .read = read_counter};

	assert_int_equal(kind, SCP_CLOCK_TSC);
	return &counter;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	assert_int_equal(clock, CLOCK_MONOTONIC_RAW);
	*t = (struct timespec){.tv_sec = (time_t)(now_ns / 1000000000u),
			       .tv_nsec = (long)(now_ns % 1000000000u)};
	return 0;
}

bool __wrap_clocks_verdict_trusts_counter(char *why, size_t size)
{
	snprintf(why, size, "the test says so");
	return trusted;
}

int __wrap_usleep(useconds_t us)
{
	now_ns += (uint64_t)us * 1000;
	return 0;
}

static void the_rate_is_that_of_the_narrowest_pairings(void **state)
{
	struct bench_plan plan = {0};
	char why[64];

	(void)state;
	trusted = true;
	assert_int_equal(bench_set_clock(&plan, SCP_CLOCK_NONE, why, sizeof(why)), 0);
	assert_int_equal(plan.clock, SCP_CLOCK_TSC);
	assert_float_equal(plan.ns_per_unit, 1.0 / UNITS_A_NS, 1e-15);
	assert_int_equal(bench_set_clock(&plan, SCP_CLOCK_TSC, why, sizeof(why)), 0);
	assert_float_equal(plan.ns_per_unit, 1.0 / UNITS_A_NS, 1e-15);
}

static void a_counter_that_is_not_trusted_is_not_used(void **state)
{
	struct bench_plan plan = {0};
	char why[64];

	(void)state;
	trusted = false;
	assert_int_equal(bench_set_clock(&plan, SCP_CLOCK_TSC, why, sizeof(why)), -1);
	assert_string_equal(why, "the test says so");
	assert_int_equal(bench_set_clock(&plan, SCP_CLOCK_NONE, why, sizeof(why)), 0);
	assert_int_equal(plan.clock, SCP_CLOCK_MONOTONIC);
	assert_float_equal(plan.ns_per_unit, 1, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_is_that_of_the_narrowest_pairings),
		cmocka_unit_test(a_counter_that_is_not_trusted_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
