// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads' names against globs: as fnmatch says, of every short pattern. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "preload/system/glob.h"

static void same_as_libc(void **state)
{
	static const char letters[] = "ab*?-!]x";
	static const char *const names[] = {"", "a", "b", "ab", "ba", "aab", "abab", "-", "!", "]"};
	unsigned total = 1;

	(void)state;
	for (unsigned n = 0; n < 5; n++, total *= 8)
		for (unsigned code = 0; code < total; code++) {
			char pattern[8] = "";

			for (unsigned i = 0, c = code; i < n; i++, c /= 8)
				pattern[i] = letters[c % 8];
			for (size_t k = 0; k < sizeof names / sizeof *names; k++)
				if (glob_matches(pattern, n, names[k]) !=
				    !fnmatch(pattern, names[k], 0))
					fail_msg("'%s' against '%s'", pattern, names[k]);
		}
}

static void lists(void **state)
{
	(void)state;
	assert_true(glob_list_matches("main,worker-*", "worker-3"));
	assert_true(glob_list_matches("main,worker-*", "main"));
	assert_false(glob_list_matches("main,worker-*", "mainly"));
	assert_false(glob_list_matches("main,worker", "main,worker"));
	assert_false(glob_list_matches("", "a"));
	assert_false(glob_list_matches(",,", ""));
}

/* Time that is not exponential in the stars. */
static void many_stars(void **state)
{
	char name[4000];

	(void)state;
	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = 0;
	assert_false(glob_matches("*a*a*a*a*a*a*a*a*a*a*b", 22, name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_libc),
		cmocka_unit_test(lists),
		cmocka_unit_test(many_stars),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
