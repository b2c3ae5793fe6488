// SPDX-License-Identifier: GPL-3.0-or-later
/* Whoever reads a clock while one is chosen, as a thread of the session before may, can read it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/clock/clock.h"
#include "tests/unit/preload/made_thread.h"

#ifdef __x86_64__
static unsigned looks, lies;

static void look(void)
{
	looks++;
	lies += !clock_chosen.page &&
		(clock_chosen.kind == SCP_CLOCK_PAGE || clock_chosen.slow_kind == SCP_CLOCK_PAGE);
}

/* There is no page. */
static void choose(void *name)
{
	clock_choose(name, "/nonexistent");
}

static void test_no_clock_of_a_page_without_one(void **state)
{
	static char *const names[] = {"page", "dual", "tsc", "none such"};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		clock_chosen.page = NULL;
		looks = lies = 0;
		left.at_each = look;
		left_after(-1, choose, names[i]);
		left.at_each = NULL;
		assert_true(looks > 50);
		assert_int_equal(lies, 0);
		assert_int_not_equal(clock_chosen.kind, SCP_CLOCK_NONE);
	}
}
#endif

/* What cannot be had is said, and replaced. */
static void test_fallback(void **state)
{
	(void)state;
	clock_choose("monotonic", NULL);
	assert_int_equal(clock_chosen.kind, SCP_CLOCK_MONOTONIC);
	assert_int_equal(clock_chosen.fallback, 0);
	clock_choose("page", "/nonexistent");
	assert_int_not_equal(clock_chosen.kind, SCP_CLOCK_PAGE);
	assert_int_equal(clock_chosen.fallback, 1);
	assert_int_equal(clock_chosen.requested, SCP_CLOCK_PAGE);
	clock_choose(NULL, NULL);
	assert_int_equal(clock_chosen.fallback, 0);
}

/* Of units that are known, and of a counter whose rate is measured from its first reading on. */
static void test_how_many_units_a_time_has(void **state)
{
	struct scp_clock slow;
	uint64_t began = clock_mono_ns();

	(void)state;
	clock_choose("monotonic", NULL);
	clock_describe(&clock_chosen.described, &slow);
	assert_int_equal(clock_units_of(1234567), 1234567);
	assert_int_equal(clock_units_of(UINT64_MAX), UINT64_MAX >> 1);
	clock_choose("tsc", NULL);
	if (clock_chosen.kind != SCP_CLOCK_TSC)
		skip();
	clock_describe(&clock_chosen.described, &slow);
	while (clock_mono_ns() - began < 20000000)
		;
	uint64_t before = clock_mono_ns(), from = clock_read(SCP_CLOCK_TSC),
		 first = clock_mono_ns();
	while (clock_mono_ns() - first < 20000000)
		;
	uint64_t last = clock_mono_ns(), units = clock_read(SCP_CLOCK_TSC) - from;
	uint64_t after = clock_mono_ns();
	/* whoever interrupts these readings makes the bounds wider */
	double told = (double)clock_units_of(1000000);
	assert_true(told > 0.5e6 * (double)units / (double)(after - before));
	assert_true(told < 2e6 * (double)units / (double)(last - first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(test_no_clock_of_a_page_without_one),
#endif
		cmocka_unit_test(test_fallback),
		cmocka_unit_test(test_how_many_units_a_time_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
