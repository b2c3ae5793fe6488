// SPDX-License-Identifier: GPL-3.0-or-later
/* The machine's stolen time, read from /proc/stat by hand; and when a batch asks how old all of
 * that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "preload/table/header.h"

static void test_the_eighth_number_counts_steps_of_10_ms(void **state)
{
	struct scp_steal s = {0};

	(void)state;
	assert_true(usage_find_stolen(
		"cpu  133 2 44 555555 66 7 8 912 10 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n", &s));
	assert_true(s.stolen_ns == UINT64_C(9120000000));
	assert_true(s.busy_ns == UINT64_C(11060000000)); /* without idle, iowait and guests */
	assert_true(usage_find_stolen("cpu  1 2 3 4 5 6 7 0\n", &s)); /* as old kernels have it */
	assert_true(s.stolen_ns == 0 && s.busy_ns == UINT64_C(190000000));
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
	struct scp_steal s = {.stolen_ns = 77, .busy_ns = 78};

	(void)state;
	for (unsigned i = 0; i < sizeof(text) / sizeof(*text); i++)
		assert_false(usage_find_stolen(text[i], &s));
	assert_true(s.stolen_ns == 77 && s.busy_ns == 78);
}

static void test_a_number_is_found_at_the_start_of_a_line(void **state)
{
	const char *text = "rchar: 1\nsyscr: 23\nsyscw: 4\n";
	uint64_t value = 0;

	(void)state;
	assert_true(usage_find(text, "syscr: ", &value) && value == 23);
	assert_false(usage_find(text, "char: ", &value));
}

static void test_a_batch_asks_when_time_has_passed_or_many_have_closed(void **state)
{
	struct header_asked asked = {0};
	unsigned unasked = 0;

	(void)state;
	header_refresh_by(&asked, 1000); /* how long 5 ms are is not known */
	assert_true(asked.at == 1000);
	asked = (struct header_asked){.at = 1000, .units = 500};
	header_refresh_by(&asked, 1499);
	assert_true(asked.at == 1000);
	header_refresh_by(&asked, 1500);
	assert_true(asked.at == 1500);
	asked = (struct header_asked){.at = 1500, .units = 500};
	header_refresh_by(&asked, 1499); /* a clock that went backwards */
	assert_true(asked.at == 1499);
	asked = (struct header_asked){.at = 1400, .units = 500};
	while (asked.at == 1400) { /* one that stands still */
		header_refresh_by(&asked, 1401);
		unasked++;
	}
	assert_true(unasked == 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_eighth_number_counts_steps_of_10_ms),
		cmocka_unit_test(test_what_is_no_such_line_says_nothing),
		cmocka_unit_test(test_a_number_is_found_at_the_start_of_a_line),
		cmocka_unit_test(test_a_batch_asks_when_time_has_passed_or_many_have_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
