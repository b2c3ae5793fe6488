// SPDX-License-Identifier: GPL-3.0-or-later
/* What a program was started as: from paths of all kinds, and from addresses that cannot be read.
 * The kernel's word is put in place of libc's getauxval. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "preload/process/settings.h"

#define PAGE 4096u

static const char *kernels_word;

unsigned long getauxval(unsigned long type)
{
	errno = ENOENT;
	return type == AT_EXECFN ? (unsigned long)kernels_word : 0;
}

static void the_last_part_of_what_execve_was_given(void **state)
{
	static const struct {
		const char *started, *exe, *name;
	} cases[] = {
		{"/usr/bin/redis-server", "/usr/bin/redis-check-rdb", "redis-server"},
		{"./app.py", "/usr/bin/python3.11", "app.py"},
		{"app", "/opt/app", "app"},
		{"../x/sp\xc3\xa4t", "/opt/app", "sp\xc3\xa4t"},
		{"/dev/fd/3/app", "/opt/other", "app"}, /* execveat, below a directory */
		{"/proc/self/cwd/app", "/opt/other", "app"},
		{"/srv/fd/7", "/opt/other", "other"},
		{"/opt/exe", "/opt/other", "other"},
		{"/opt/real (deleted)", "/opt/other", "real (deleted)"},
		/* The kernel's links, and what is no name: the executable. */
		{"/dev/fd/3", "/opt/app", "app"},
		{"/proc/self/fd/12", "/opt/app", "app"},
		{"/proc/77/task/78/fd/12", "/opt/app", "app"},
		{"/proc/self/exe", "/opt/app", "app"},
		{"a\nb", "/opt/app", "app"},
		{"a\177", "/opt/app", "app"},
		{"/a\nb/c", "/opt/app", "c"},
		{"", "/opt/app", "app"},
		{"/bin/", "/opt/app", "app"},
		{NULL, "/opt/app", "app"},
		{NULL, "/opt/app (deleted)", "app"},
		{NULL, "/memfd:app (deleted)", "memfd:app"},
		{NULL, " (deleted)", " (deleted)"},
		{NULL, "", ""},
	};
	char name[256];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		start_name_choose(name, sizeof name, cases[i].started, cases[i].exe);
		if (strcmp(name, cases[i].name) != 0)
			fail_msg("'%s', '%s': '%s'", cases[i].started ? cases[i].started : "NULL",
				 cases[i].exe, name);
	}
}

static void a_long_name_is_cut_between_characters(void **state)
{
	char room[10];

	(void)state;
	start_name_choose(room, sizeof room, "/bin/a23456789", "");
	assert_string_equal(room, "a23456789");
	start_name_choose(room, sizeof room, "/bin/a234567890", "");
	assert_string_equal(room, "a23456789");
	start_name_choose(room, sizeof room, "/bin/a234567\xe2\x82\xac", "");
	assert_string_equal(room, "a234567");
	start_name_choose(room, sizeof room, "/bin/a23456\xe2\x82\xac\xe2\x82\xac", "");
	assert_string_equal(room, "a23456\xe2\x82\xac");
	assert_int_equal(start_name_fits("\xbf\xbf\xbf", 3, 2), 0);
}

static void expect(const char *word, const char *name)
{
	char found[256] = "untouched";

	kernels_word = word;
	errno = EDOM;
	start_name_read(found, sizeof found, "/opt/exe.real");
	assert_int_equal(errno, EDOM);
	assert_string_equal(found, name);
}

/* Three pages, of which the last cannot be read; then none is there. */
static void what_cannot_be_read_is_no_name(void **state)
{
	char *page =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	mprotect(page + 2 * PAGE, PAGE, PROT_NONE);
	memset(page, 'x', 2 * PAGE);
	strcpy(page + PAGE - 5, "/bin/across");
	expect(page + PAGE - 5, "across");
	expect(page + 2 * PAGE - 9, "exe.real"); /* has no end before */
	page[2 * PAGE - 1] = 0;
	expect(page + 2 * PAGE - 9, "xxxxxxxx");
	expect(page + 2 * PAGE - 1, "exe.real");
	expect(page + 2 * PAGE, "exe.real");
	memset(page, '/', 2 * PAGE - 2); /* longer than a path can be */
	expect(page + 3, "exe.real");
	munmap(page, 3 * PAGE);
	expect(page + 7, "exe.real");
	expect(NULL, "exe.real");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_part_of_what_execve_was_given),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
		cmocka_unit_test(what_cannot_be_read_is_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
