// SPDX-License-Identifier: GPL-3.0-or-later
/* Durations: what is read, exactly, and what is refused. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collector/duration.h"

static void reads_whole_numbers_of_nanoseconds(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"20us", 20000},
		{"1ms", 1000000},
		{"0.5s", 500000000},
		{"0.3ms", 300000},
		{"0ns", 0},
		{"007us", 7000},
		{"1.000000001s", 1000000001},
		{"1.0ns", 1},
		{"100ms", 100000000},
		{"18446744073709551615ns", UINT64_MAX},
		{"0.000001ms", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		uint64_t ns = 42;

		assert_int_equal(duration_parse(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
}

static void refuses_what_is_not_wholly_a_duration(void **state)
{
	static const char *const bad[] = {"",	  "1",	    "ms",    "1 ms",  " 1ms",
					  "1ms ", "-1ms",   "+1ms",  "1e3ms", "1.ms",
					  ".5ms", "1..5ms", "0x1ms", "1m",    "1MS",
					  "1mss", "1,5ms",  "inf",   "nans",  "1ms1us"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t ns = 42;

		assert_int_equal(duration_parse(bad[i], &ns), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(ns, 42);
	}
}

static void refuses_what_does_not_fit_or_divide(void **state)
{
	static const char *const bad[] = {"0.5ns",
					  "1.0000000001s",
					  "18446744073709551616ns",
					  "18446744074s",
					  "99999999999999999999999s",
					  "0.00000000000000000000000001s"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t ns = 42;

		assert_int_equal(duration_parse(bad[i], &ns), -1);
		assert_int_equal(errno, ERANGE);
		assert_int_equal(ns, 42);
	}
}

static void exact_text_reads_back(void **state)
{
	static const uint64_t values[] = {0,	   1,	       999,	    1000,      20000,
					  1500000, 1000000000, 61000000000, UINT64_MAX};
	char text[40];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		uint64_t ns = 42;

		duration_print_exact(values[i], text, sizeof(text));
		assert_int_equal(duration_parse(text, &ns), 0);
		assert_int_equal(ns, values[i]);
	}
	duration_print_exact(1000000, text, sizeof(text));
	assert_string_equal(text, "1ms");
}

static void people_get_three_digits(void **state)
{
	char text[40];

	(void)state;
	duration_print(23.44, text, sizeof(text));
	assert_string_equal(text, "23.4 ns");
	duration_print(999.9, text, sizeof(text));
	assert_string_equal(text, "1 us");
	duration_print(-4e6, text, sizeof(text));
	assert_string_equal(text, "-4 ms");
	duration_print(NAN, text, sizeof(text));
	assert_string_equal(text, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole_numbers_of_nanoseconds),
		cmocka_unit_test(refuses_what_is_not_wholly_a_duration),
		cmocka_unit_test(refuses_what_does_not_fit_or_divide),
		cmocka_unit_test(exact_text_reads_back),
		cmocka_unit_test(people_get_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
