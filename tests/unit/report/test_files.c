// SPDX-License-Identifier: GPL-3.0-or-later
/* What a profile may lead to: pipes, files of others, files that change. */
#include "tests/unit/support/report_fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/support/copy_fixture.h"

#define OTHER 65534 /* a user id that is not ours */

/* Of a stripped program whose debug information is app.debug. */
static void split(void)
{
	copy_shell("objcopy --only-keep-debug app app.debug && strip app && "
		   "objcopy --add-gnu-debuglink=app.debug app");
}

/* Guarded, only root's files give names. */
static void link_leads_nowhere(void)
{
	for (int guarded = 0; guarded < (geteuid() ? 1 : 2); guarded++) {
		struct symbolizer *s = copy_begin(guarded);

		CHECK(!copy_symbol(s, 0, copy_first)->function);
		CHECK(symbolize_module_state(s, 0) == SYMBOLIZE_LOADED);
		symbolize_free(s);
	}
}

static void test_debug_link_to_a_pipe_is_not_opened(void **state)
{
	(void)state;
	split();
	copy_shell("rm app.debug && mkdir theirs theirs/.debug && ln -s ../app theirs/app && "
		   "mkfifo theirs/.debug/app.debug theirs/app.debug app.debug");
	copy_module[0].path = strcpy(copy_path, copy_file("theirs/app"));
	copy_apart(link_leads_nowhere);
}

static void link_is_followed(void)
{
	struct symbolizer *s = copy_begin(true);

	CHECK(copy_is_called(copy_symbol(s, 0, copy_first), "copy_first"));
	symbolize_free(s);
}

static void link_of_another_is_not_followed(void)
{
	struct symbolizer *s = copy_begin(true);

	CHECK(!copy_symbol(s, 0, copy_first)->function);
	CHECK(symbolize_module_state(s, 0) == SYMBOLIZE_LOADED);
	symbolize_free(s);
	s = copy_begin(false);
	CHECK(copy_is_called(copy_symbol(s, 0, copy_first), "copy_first"));
	symbolize_free(s);
}

static void test_debug_information_of_another_user_is_not_opened(void **state)
{
	(void)state;
	if (geteuid())
		skip(); /* only root can give a file away */
	split();
	copy_apart(link_is_followed);
	assert_int_equal(chown(copy_file("app.debug"), OTHER, OTHER), 0);
	copy_apart(link_of_another_is_not_followed);
}

static void what_is_closed_to_others(void)
{
	struct symbolizer *s = copy_begin(true);

	copy_symbol(s, 0, copy_first);
	CHECK(symbolize_module_state(s, 0) == SYMBOLIZE_MISSING);
	symbolize_free(s);
	s = copy_begin(false);
	copy_symbol(s, 0, copy_first);
	CHECK(symbolize_module_state(s, 0) == SYMBOLIZE_LOADED);
	symbolize_free(s);
}

static void test_root_tells_nobody_names_from_a_file_that_is_closed_to_others(void **state)
{
	(void)state;
	if (geteuid())
		skip(); /* guarded, only root's files count */
	copy_apart(link_is_followed);
	copy_shell("chmod 750 app");
	copy_apart(what_is_closed_to_others);
}

/* A function at 0x2000 whose name is in the file that `link` names, as dwz leaves it. */
static void write_shared(const char *link)
{
	FILE *out = fopen(copy_file("shared.s"), "we");

	assert_non_null(out);
	fprintf(out,
		".text\n.Lbegin: nop\n nop\n nop\n nop\n.Lend:\n"
		".section .debug_abbrev,\"\",%%progbits\n"
		/* a unit: its code; a function: name (DW_FORM_GNU_strp_alt) and code */
		".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
		".byte 2, 0x2e, 0, 3\n.uleb128 0x1f21\n.byte 0x11, 1, 0x12, 7, 0, 0, 0\n"
		".section .debug_info,\"\",%%progbits\n"
		".long .Llast - .Lfirst\n.Lfirst: .short 4\n.long 0\n.byte 8\n"
		".byte 1\n.quad .Lbegin, .Lend - .Lbegin\n"
		".byte 2\n.long 0\n.quad .Lbegin, .Lend - .Lbegin\n.byte 0\n.Llast:\n"
		".section .gnu_debugaltlink,\"\",%%progbits\n"
		".asciz \"%s\"\n.ascii \"abcdefghijklmnopqrst\"\n",
		link);
	fclose(out);
	copy_shell("cc -shared -nostdlib -Wl,-Ttext=0x2000 -o shared.so shared.s");
}

static void shared_name_is_missing(void)
{
	struct prof_frame frame = {.module = 0, .offset = 0x2002};
	struct symbolizer *s = copy_begin(false);
	size_t count;

	CHECK(!symbolize_frame(s, &frame, &count)->function);
	CHECK(symbolize_module_state(s, 0) == SYMBOLIZE_LOADED);
	symbolize_free(s);
}

/* libdw would open it by itself when it misses the name. */
static void test_shared_debug_information_that_is_a_pipe_is_not_opened(void **state)
{
	char whole[64];

	(void)state;
	copy_shell("mkfifo pipe");
	copy_module[0].build_id_bytes = 0;
	copy_module[0].path = strcpy(copy_path, copy_file("shared.so"));
	write_shared("pipe");
	copy_apart(shared_name_is_missing);
	snprintf(whole, sizeof(whole), "%s/pipe", copy_directory);
	write_shared(whole);
	copy_apart(shared_name_is_missing);
}

static void cut_short_between_questions(void)
{
	struct symbolizer *s = copy_begin(false);

	CHECK(copy_is_called(copy_symbol(s, 0, copy_first), "copy_first"));
	CHECK(truncate(copy_file("app"), 100) == 0);
	CHECK(access(copy_file("app.debug"), F_OK) != 0 ||
	      truncate(copy_file("app.debug"), 100) == 0);
	CHECK(copy_is_called(copy_symbol(s, 0, copy_second), "copy_second"));
	symbolize_free(s);
}

static void test_a_file_that_is_cut_short_while_it_is_read_harms_nobody(void **state)
{
	(void)state;
	copy_shell("cp app whole");
	copy_apart(cut_short_between_questions);
	copy_shell("mv whole app");
	split();
	copy_apart(cut_short_between_questions);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, copy_make, copy_remove)
	const struct CMUnitTest tests[] = {
		TEST(test_debug_link_to_a_pipe_is_not_opened),
		TEST(test_debug_information_of_another_user_is_not_opened),
		TEST(test_root_tells_nobody_names_from_a_file_that_is_closed_to_others),
		TEST(test_shared_debug_information_that_is_a_pipe_is_not_opened),
		TEST(test_a_file_that_is_cut_short_while_it_is_read_harms_nobody),
	};

	return cmocka_run_group_tests_name("report files", tests, NULL, NULL);
}
