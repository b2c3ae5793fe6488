// SPDX-License-Identifier: GPL-3.0-or-later
/* Which directories are looked at as those of killed runs; flock is the test's to watch. */
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

#include "collector/launch/leftovers.h"
#include "collector/launch/run_directory.h"

static char beside[] = "/tmp/test_leftovers.XXXXXX";
static char base[sizeof(beside) + 32], mark[sizeof(base) + 32];
static int base_locks;

int __wrap_flock(int fd, int operation);
int __real_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	struct stat of_fd, of_base;

	if (!fstat(fd, &of_fd) && !stat(base, &of_base) && of_fd.st_dev == of_base.st_dev &&
	    of_fd.st_ino == of_base.st_ino)
		base_locks++;
	return __real_flock(fd, operation);
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(beside))
		return -1;
	snprintf(base, sizeof(base), "%s/." RUN_DIRECTORY_NAME "abcdef", beside);
	snprintf(mark, sizeof(mark), "%s/" RUN_DIRECTORY_MARK, base);
	return mkdir(base, 0700);
}

static int clean(void **state)
{
	(void)state;
	unlink(mark);
	rmdir(base);
	return rmdir(beside);
}

static void test_directory_without_mark(void **state)
{
	struct leftovers found;

	(void)state;
	leftovers_count(beside, &found);
	assert_int_equal(base_locks, 0);
}

static void test_directory_with_mark(void **state)
{
	struct leftovers found;

	(void)state;
	int fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	base_locks = 0;
	leftovers_count(beside, &found);
	assert_int_equal(base_locks, 1);
	assert_true(found.directories >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"a directory without a mark is not locked: its run is about to do so",
		 test_directory_without_mark, NULL, NULL, NULL},
		{"one with a mark and no other lock is a killed run's", test_directory_with_mark,
		 NULL, NULL, NULL},
	};

	return cmocka_run_group_tests(tests, make, clean);
}
