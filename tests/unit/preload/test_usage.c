// SPDX-License-Identifier: GPL-3.0-or-later
/* The machine's stolen time, read from /proc/stat by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "preload/table/usage.h"

static bool find(const char *text, uint64_t *ns)
{
	return usage_find_stolen(text, (long)strlen(text), ns);
}

static void test_the_eighth_number_counts_steps_of_10_ms(void **state)
{
	uint64_t ns = 0;

	(void)state;
	assert_true(find("cpu  133 2 44 555555 66 7 8 912 10 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n", &ns));
	assert_true(ns == UINT64_C(9120000000));
	assert_true(find("cpu  1 2 3 4 5 6 7 0\n", &ns) && ns == 0); /* as old kernels have it */
}

static void test_what_is_no_such_line_says_nothing(void **state)
{
	const char *const text[] = {"",
				    "cpu",
				    "cpu0 1 2 3 4 5 6 7 8 9 0\n",
				    "cpu  1 2 3 4 5 6 7\n",
				    "cpu  1 2 3 4 5 6 7 8",
				    "cpu  1 2 3 x 5 6 7 8 9\n",
				    "intr 1 2 3\n"};
	uint64_t ns = 77;

	(void)state;
	for (unsigned i = 0; i < sizeof(text) / sizeof(*text); i++)
		assert_false(find(text[i], &ns));
	assert_true(ns == 77);
}

static void test_a_number_is_found_at_the_start_of_a_line(void **state)
{
	const char *text = "rchar: 1\nsyscr: 23\nsyscw: 4\n";
	uint64_t value = 0;

	(void)state;
	assert_true(usage_find(text, (long)strlen(text), "syscr: ", &value) && value == 23);
	assert_false(usage_find(text, (long)strlen(text), "char: ", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_eighth_number_counts_steps_of_10_ms),
		cmocka_unit_test(test_what_is_no_such_line_says_nothing),
		cmocka_unit_test(test_a_number_is_found_at_the_start_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
