// SPDX-License-Identifier: GPL-3.0-or-later
/* A command's table: how --help prints it, and how it is searched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/usage/options.h"

#define X10 " xxxxxxxxx"
#define X40 X10 X10 X10 X10

static const struct usage_entry operands[] = {{.name = "PROFILE", .text = "an operand"}, {0}};

static const struct usage_entry options[] = {
	USAGE_ENTRY_OUTPUT("OUT", "where to write, and so much more that no line has room for it, "
				  "so that there are two (default: here)"),
	{"by", USAGE_OWN, "path|site|function|gap|process", .text = "all fits:" X10},
	{"of", USAGE_OWN + 1, "path|site|function|gap|process", .text = "does not fit:" X40},
	{"one-of", 'x', "a|b", .text = "a: first\nb: second", .flags = USAGE_EXCLUSIVE},
	USAGE_ENTRY_HELP,
	{0}};

static const struct usage_entry variables[] = {
	{.name = "SCPROF_THING", .text = "a variable"}, {.name = "SHORT", .text = "one more"}, {0}};

static const struct usage usage = {
	.command = "scprof thing",
	.synopsis = {"[--all] PROFILE...",
		     "[-o OUT | --all | --and-more] [--long-enough] [--not-broken at the | bar] "
		     "--tick TIME -- COMMAND [ARG...]"},
	.text = "First line of text, which goes on and on until it is longer than a line, which is "
		"90 columns:\n  as  it  is, however long the line may be: such a line is a list "
		"that has columns of its own, 98 wide\nnext.",
	.operands = operands,
	.options = options,
	.variables = variables,
	.note = "A note.",
	.variables_text = "all of them",
	.failure = 2,
	.exit_status = "0 good; 1 bad, for so many reasons that one line is too short for all of "
		       "them; 2 wrong\n3 more",
};

static const char printed[] =
	"usage: scprof thing [--all] PROFILE...\n"
	"       scprof thing [-o OUT | --all | --and-more] [--long-enough]\n"
	"                    [--not-broken at the | bar] --tick TIME -- COMMAND [ARG...]\n"
	"First line of text, which goes on and on until it is longer than a line, which is 90\n"
	"columns:\n"
	"  as  it  is, however long the line may be: such a line is a list that has columns of its "
	"own, 98 wide\n"
	"next.\n"
	"\n"
	"  PROFILE           an operand\n"
	"  -o, --output OUT  where to write, and so much more that no line has room for it, so "
	"that\n"
	"                    there are two (default: here)\n"
	"  --by path|site|function|gap|process  all fits: xxxxxxxxx\n"
	"  --of path|site|function|gap|process\n"
	"                    does not fit: xxxxxxxxx xxxxxxxxx xxxxxxxxx xxxxxxxxx\n"
	"  -x, --one-of a|b  a: first\n"
	"                    b: second\n"
	"  -h, --help        this text\n"
	"\n"
	"A note.\n"
	"\n"
	"environment: all of them\n"
	"  SCPROF_THING  a variable\n"
	"  SHORT         one more\n"
	"exit status: 0 good; 1 bad, for so many reasons that one line is too short for all of\n"
	"             them; 2 wrong\n"
	"             3 more. Also 2: standard output cannot be written\n";

static void prints_aligned_and_wrapped(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	usage_print(&usage, out);
	fclose(out);
	assert_string_equal(text, printed);
	free(text);
}

/* A word that no line has room for is printed all the same. */
static void never_breaks_a_word(void **state)
{
	static char word[300];
	struct usage long_word = usage;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	memset(word, 'w', sizeof(word) - 1);
	long_word.text = word;
	usage_print(&long_word, out);
	fclose(out);
	assert_non_null(strstr(text, word));
	free(text);
}

static void finds_by_name_and_by_code(void **state)
{
	(void)state;
	assert_ptr_equal(usage_find(&usage, "output"), &options[0]);
	assert_ptr_equal(usage_find_code(&usage, 'o'), &options[0]);
	assert_ptr_equal(usage_find_code(&usage, USAGE_OWN + 1), &options[2]);
	assert_int_equal(usage_letter(&options[0]), 'o');
	assert_int_equal(usage_letter(&options[1]), '\0');
	assert_null(usage_find(&usage, "out"));
	assert_null(usage_find(&usage, "PROFILE"));
	assert_null(usage_find_code(&usage, 'y'));
}

static void lists_names_without_those_of_a_flag(void **state)
{
	const char *names[8];

	(void)state;
	assert_int_equal(usage_names(&usage, 0, names, 8), 5);
	assert_string_equal(names[4], "help");
	assert_int_equal(usage_names(&usage, USAGE_TYPED_ONLY, names, 8), 3);
	assert_string_equal(names[0], "by");
	assert_string_equal(names[2], "one-of");
	assert_int_equal(usage_names(&usage, 0, names, 2), 2); /* what has room */
}

/* It has no code where it sets only its member. */
static void an_option_has_its_dashes(void **state)
{
	const struct usage_entry sets = {.name = "paths", .sets = {.type = OPTIONS_FLAG}},
				 operand = {.name = "PID"};
	char heading[16];

	(void)state;
	usage_heading(&sets, heading, sizeof(heading));
	assert_string_equal(heading, "--paths");
	usage_heading(&operand, heading, sizeof(heading));
	assert_string_equal(heading, "PID");
}

static void cuts_a_heading_that_is_too_long(void **state)
{
	char heading[8];

	(void)state;
	usage_heading(&options[0], heading, sizeof(heading));
	assert_string_equal(heading, "-o, --o");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_aligned_and_wrapped),
		cmocka_unit_test(never_breaks_a_word),
		cmocka_unit_test(finds_by_name_and_by_code),
		cmocka_unit_test(lists_names_without_those_of_a_flag),
		cmocka_unit_test(an_option_has_its_dashes),
		cmocka_unit_test(cuts_a_heading_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
