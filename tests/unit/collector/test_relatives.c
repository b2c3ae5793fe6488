// SPDX-License-Identifier: GPL-3.0-or-later
/* Which processes belong together, and what one has mapped. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/attach/target/relatives.h"
#include "collector/select/library_closure.h"

/* A child that does nothing, and says when it is there. */
static pid_t child(void)
{
	int ends[2];
	char word;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (!pid) {
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ends[0], &word, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool has(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void test_children_of_the_same_program(void **state)
{
	pid_t pids[RELATIVES_MOST], same = child(), other = fork();

	(void)state;
	if (!other) {
		execlp("sleep", "sleep", "100", (char *)NULL);
		_exit(127);
	}
	size_t count;
	do /* until it is another program */
		count = relatives_children(getpid(), pids, RELATIVES_MOST);
	while (has(pids, count, other));
	assert_true(has(pids, count, same));
	assert_int_equal(count, 1);
	assert_int_equal(relatives_children(getpid(), pids, 0), 0);
	assert_int_equal(relatives_children(same, pids, RELATIVES_MOST), 0);
	end(same);
	end(other);
}

static void test_who_maps_a_file(void **state)
{
	char directory[] = "/tmp/scprof.XXXXXX", path[64], found[PATH_MAX];
	pid_t pids[RELATIVES_MOST];

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/control", directory);
	FILE *file = fopen(path, "w+e");
	assert_int_equal(ftruncate(fileno(file), 4096), 0);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	fclose(file);
	pid_t forked = child();
	for (int removed = 0; removed < 2; removed++) {
		assert_int_equal(relatives_mapped(forked, "/scprof.", "/control", found), 0);
		assert_string_equal(found, path);
		size_t count = relatives_mapping(path, pids, RELATIVES_MOST);
		assert_int_equal(count, 2);
		assert_true(has(pids, count, forked) && has(pids, count, getpid()));
		unlink(path);
	}
	assert_int_equal(relatives_mapped(forked, "/scprof.", "/clock", found), -1);
	end(forked);
	munmap(page, 4096);
	rmdir(directory);
}

static void test_libraries_of_a_process(void **state)
{
	static const char lines[] =
		"1000-2000 r--p 00000000 08:01 1   /usr/bin/server\n"
		"2000-3000 r-xp 00000000 08:01 1   /usr/bin/server\n"
		"3000-4000 r-xp 00000000 08:01 2   /usr/lib/libssl.so.3\n"
		"4000-5000 r--p 00000000 08:01 3   /usr/lib/libdata.so\n"
		"5000-6000 r-xp 00000000 08:01 4   /usr/lib/libold.so (deleted)\n"
		"6000-7000 r-xp 00000000 08:01 2   /usr/lib/libssl.so.3\n"
		"7000-8000 r-xp 00000000 08:01 5   /usr/lib/scprof/libscprof.so\n"
		"8000-9000 r-xp 00000000 08:01 6   /tmp/scprof-symbols-00ff.so\n"
		"9000-a000 r-xp 00000000 08:01 7   /lib64/ld-linux-x86-64.so.2\n"
		"a000-b000 r-xp 00000000 00:00 0   [vdso]\n"
		"b000-c000 r-xp 00000000 08:01 8   /opt/my lib/libc.so.6\n";
	char first[64], second[64];
	struct names found;
	FILE *file = fmemopen((void *)(uintptr_t)lines, sizeof(lines) - 1, "r");

	(void)state;
	assert_int_equal(library_closure_read_maps(getpid(), file, "/usr/bin/server", &found), 0);
	fclose(file);
	assert_int_equal(found.count, 2);
	snprintf(first, sizeof(first), "/proc/%d/root/usr/lib/libssl.so.3", (int)getpid());
	snprintf(second, sizeof(second), "/proc/%d/root/opt/my lib/libc.so.6", (int)getpid());
	assert_string_equal(found.name[0], first);
	assert_string_equal(found.name[1], second);
	exports_free_names(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_of_the_same_program),
		cmocka_unit_test(test_who_maps_a_file),
		cmocka_unit_test(test_libraries_of_a_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
