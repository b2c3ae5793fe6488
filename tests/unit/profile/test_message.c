// SPDX-License-Identifier: GPL-3.0-or-later
/* Lines of a message end where its format says so, whatever names are in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/base/error.h"

static void test_a_newline_in_a_name_begins_no_line(void **state)
{
	struct profile_error err;

	(void)state;
	error_set(&err, "%s: bad.\nDo %d", "a\nb\n", 5);
	assert_string_equal(err.text, "a\\x0ab\\x0a: bad.\nDo 5");
}

static void test_bytes_of_all_other_kinds_stay(void **state)
{
	struct profile_error err;

	(void)state;
	error_set(&err, "%s\n%s", "\1\2\x1b[31m", "\2\1");
	assert_string_equal(err.text, "\1\2\x1b[31m\n\2\1");
}

static void test_what_is_too_long_is_cut_and_ended(void **state)
{
	struct profile_error err;
	char name[4 * sizeof(err.text)];

	(void)state;
	memset(name, '\n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(&err, 'x', sizeof(err));
	error_set(&err, "%s", name);
	assert_int_equal(strlen(err.text), sizeof(err.text) / 4 * 4 - 4);
	assert_null(strchr(err.text, '\n'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_newline_in_a_name_begins_no_line),
		cmocka_unit_test(test_bytes_of_all_other_kinds_stay),
		cmocka_unit_test(test_what_is_too_long_is_cut_and_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
