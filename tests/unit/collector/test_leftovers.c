// SPDX-License-Identifier: GPL-3.0-or-later
/* Which directories are looked at as those of killed runs; flock is the test's to watch. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
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

static void write_mark(const char *boot, const char *host)
{
	unlink(mark);
	int fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s\n%s\n/some/where.scp\n", boot, host) > 0);
	close(fd);
}

static bool is_ours(const char *boot, const char *host)
{
	char output[PATH_MAX];

	write_mark(boot, host);
	int fd = open(mark, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	bool ours = run_directory_read_mark(fd, output, sizeof(output));
	close(fd);
	assert_string_equal(output, "/some/where.scp");
	return ours;
}

static void test_directory_with_mark(void **state)
{
	struct leftovers found;

	(void)state;
	write_mark("a start", "a host");
	leftovers_count(beside, &found);
	assert_int_equal(base_locks, 1);
}

static void test_directory_of_an_earlier_start(void **state)
{
	struct utsname here;

	(void)state;
	assert_int_equal(uname(&here), 0);
	assert_true(is_ours("another start", here.nodename));
}

static void test_directory_of_this_kernel(void **state)
{
	char boot[64] = "";

	(void)state;
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%63s", boot), 1);
	fclose(file);
	assert_true(is_ours(boot, "a container"));
}

static void test_directory_of_another_machine(void **state)
{
	(void)state;
	assert_false(is_ours("another start", "another host"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"a directory without a mark is not locked: its run is about to do so",
		 test_directory_without_mark, NULL, NULL, NULL},
		{"one with a mark is locked while it is looked at", test_directory_with_mark, NULL,
		 NULL, NULL},
		{"a mark of this host is ours, after a new start too",
		 test_directory_of_an_earlier_start, NULL, NULL, NULL},
		{"a mark of this kernel is ours, by another host name too",
		 test_directory_of_this_kernel, NULL, NULL, NULL},
		{"a mark of another machine is not ours: its run may live",
		 test_directory_of_another_machine, NULL, NULL, NULL},
	};

	return cmocka_run_group_tests(tests, make, clean);
}
