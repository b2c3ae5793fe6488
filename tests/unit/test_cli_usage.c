// SPDX-License-Identifier: GPL-3.0-or-later
/* The text of a --help, taken apart: each form that it may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/help/usage.h"

static const char text[] = "usage: scprof thing [--all] [-o PATH] PROFILE... | [DIR]\n"
			   "                    more\n"
			   "       scprof thing --tick T [OPTION...] -- COMMAND [ARG...]\n"
			   "First line of text,\n"
			   "and its second. A - dash.\n"
			   "\n"
			   "  PROFILE           an operand\n"
			   "  -o, --output OUT  where  to\n"
			   "                    write (default: here)\n"
			   "  -q                one letter only\n"
			   "  -n COUNT          a letter with a value\n"
			   "  --by path|site|function|gap\n"
			   "                    on a line of its own\n"
			   "  --all             none\n"
			   "\n"
			   "environment:\n"
			   "  SCPROF_THING      a variable\n"
			   "exit status: 0 good,\n"
			   "             1 bad\n";

static void expect(const char **at, enum usage_part part, const char *name, const char *argument,
		   const char *what)
{
	struct usage_item item;

	assert_true(usage_next(at, &item));
	assert_int_equal(item.part, part);
	assert_string_equal(item.name, name);
	assert_string_equal(item.argument, argument);
	assert_string_equal(item.text, what);
}

static void takes_all_forms_apart(void **state)
{
	const char *at = text;
	struct usage_item item;

	(void)state;
	expect(&at, USAGE_SYNOPSIS, "", "",
	       "scprof thing [--all] [-o PATH] PROFILE... | [DIR] more");
	expect(&at, USAGE_SYNOPSIS, "", "",
	       "scprof thing --tick T [OPTION...] -- COMMAND [ARG...]");
	expect(&at, USAGE_TEXT, "", "", "First line of text, and its second. A - dash.");
	expect(&at, USAGE_OPERAND, "PROFILE", "", "an operand");
	expect(&at, USAGE_OPTION, "output", "OUT", "where to write (default: here)");
	expect(&at, USAGE_OPTION, "", "", "one letter only");
	expect(&at, USAGE_OPTION, "", "COUNT", "a letter with a value");
	expect(&at, USAGE_OPTION, "by", "path|site|function|gap", "on a line of its own");
	expect(&at, USAGE_OPTION, "all", "", "none");
	expect(&at, USAGE_ENVIRONMENT, "", "", "");
	expect(&at, USAGE_ENVIRONMENT, "SCPROF_THING", "", "a variable");
	expect(&at, USAGE_EXIT, "", "", "0 good, 1 bad");
	assert_false(usage_next(&at, &item));
}

static void finds_by_name_and_by_letter(void **state)
{
	struct usage_item item;

	(void)state;
	assert_true(usage_find(text, "output", 0, &item));
	assert_int_equal(item.letter, 'o');
	assert_true(usage_find(text, NULL, 'o', &item));
	assert_string_equal(item.name, "output");
	assert_true(usage_find(text, NULL, 'n', &item));
	assert_string_equal(item.argument, "COUNT");
	assert_false(usage_find(text, "out", 0, &item));
	assert_false(usage_find(text, NULL, 'x', &item));
	assert_false(usage_find(text, "PROFILE", 0, &item));
}

static void lists_operands_and_no_arguments_of_options(void **state)
{
	char words[64];

	(void)state;
	usage_operands(text, words, sizeof(words));
	assert_string_equal(words, "PROFILE DIR COMMAND ARG");
	usage_operands("usage: scprof diff [OPTION...] BASE NEW\n"
		       "       scprof diff [OPTION...] BASE... -- NEW...\n",
		       words, sizeof(words));
	assert_string_equal(words, "BASE NEW");
	usage_operands("usage: scprof top PID|PROFILE\n", words, sizeof(words));
	assert_string_equal(words, "PID|PROFILE");
	usage_operands("usage: scprof x AAAA BBBB CCCC\n", words, 8); /* what fits */
	assert_true(strlen(words) < 8);
}

/* Whatever is written, a text that is longer than its field is cut, and all of it is read. */
static void cuts_what_is_too_long(void **state)
{
	static char large[8192] = "  --name ARG  ";
	const char *at = large;
	struct usage_item item;

	(void)state;
	memset(large + strlen(large), 'x', sizeof(large) - strlen(large) - 1);
	assert_true(usage_next(&at, &item));
	assert_string_equal(item.argument, "ARG");
	assert_true(strlen(item.text) < sizeof(item.text));
	assert_true(strlen(item.text) > sizeof(item.text) - 8);
	assert_int_equal(*at, '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_all_forms_apart),
		cmocka_unit_test(finds_by_name_and_by_letter),
		cmocka_unit_test(lists_operands_and_no_arguments_of_options),
		cmocka_unit_test(cuts_what_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
