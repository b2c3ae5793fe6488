// SPDX-License-Identifier: GPL-3.0-or-later
/* A file that somebody names, and may exchange meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile/base/given_file.h"

static char folder[] = "/tmp/test_given_file.XXXXXX";

static int set_up(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) || !(f = fopen("plain", "w")))
		return -1;
	fputs("plain", f);
	return fclose(f) || symlink("plain", "link") || mkfifo("pipe", 0600);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink("plain") || unlink("link") || rmdir(folder);
}

static void only_regular_files_are_opened(void **state)
{
	const char *why;
	struct stat st;
	int fd = given_file_open("link", 0, &st, &why);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 5);
	close(fd);
	assert_int_equal(given_file_open("link", O_NOFOLLOW, NULL, &why), -1);
	assert_string_equal(why, "it is not a regular file");
	assert_int_equal(given_file_open("pipe", 0, NULL, NULL), -1);
	assert_int_equal(given_file_open(".", 0, NULL, &why), -1);
	assert_string_equal(why, "it is a directory");
	assert_int_equal(given_file_open("none", 0, NULL, &why), -1);
	assert_int_equal(errno, ENOENT);
}

static void what_was_found_is_opened_whatever_has_its_name_by_then(void **state)
{
	char text[8] = "";
	struct stat st;
	int place = given_file_find("plain", 0, &st), fd;

	(void)state;
	assert_true(place >= 0 && S_ISREG(st.st_mode));
	assert_int_equal(rename("pipe", "plain"), 0);
	fd = given_file_open_found(place);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 5);
	assert_string_equal(text, "plain");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(what_was_found_is_opened_whatever_has_its_name_by_then),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
