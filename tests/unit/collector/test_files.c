// SPDX-License-Identifier: GPL-3.0-or-later
/* The directory of a run: who may do what in it, what is found in it, which
 * processes live, and that nothing unknown is removed. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/launch/gather.h"
#include "collector/launch/run_directory.h"
#include "profile/live/run_files.h"
#include "include/scprof_format.h"

static struct run_directory dir;
static int told;

static int count_told(const char *text)
{
	assert_true(*text);
	told++;
	return -1;
}

static void put(const char *name, const void *bytes, size_t size)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir.profiles, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

static uint64_t start_of(pid_t pid)
{
	char path[64], text[512];
	unsigned long long start = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	char *at = strrchr(text, ')') + 2;
	for (int field = 3; field < 22; field++)
		at = strchr(at, ' ') + 1;
	start = strtoull(at, NULL, 10);
	return start;
}

static void put_header(const char *name, pid_t pid, uint64_t start, uint64_t mono)
{
	static struct scp_header h;

	memset(&h, 0, sizeof(h));
	memcpy(h.magic, SCP_MAGIC, sizeof(h.magic));
	h.pid = (uint32_t)pid;
	h.process_start = start;
	h.start_mono_ns = mono;
	put(name, &h, sizeof(h));
}

static int set_up(void **state)
{
	struct profile_error err;

	(void)state;
	told = 0;
	return run_directory_create(&dir, "/tmp", &err);
}

static int tear_down(void **state)
{
	char command[4200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir.base);
	return system(command);
}

static void nobody_else_finds_the_way(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(dir.base, &st), 0);
	if (geteuid()) {
		assert_int_equal(st.st_mode & 07777, 0700);
	} else {
		assert_int_equal(st.st_mode & 07777, 0711);
		assert_int_equal(stat(dir.profiles, &st), 0);
		assert_int_equal(st.st_mode & 07777, 01777);
	}
	assert_int_equal(run_directory_remove(&dir), 0);
	assert_int_equal(stat(dir.base, &st), -1);
}

/* Of a process that was killed while it began to record. */
static void what_was_begun_in_vain_is_discarded(void **state)
{
	struct scp_header h = {0};
	struct stat st;
	char path[4200];

	(void)state;
	put("scprof.victim.1234.scp", &h, sizeof(h));
	put(".scprof.victim.1234.new", &h, sizeof(h));
	assert_int_equal(run_directory_remove(&dir), -1);
	snprintf(path, sizeof(path), "%s/.scprof.victim.1234.new", dir.profiles);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(stat(dir.base, &st), 0);
	run_directory_discard(&dir);
	assert_int_equal(stat(dir.base, &st), -1);
}

static void files_come_in_order_of_start(void **state)
{
	struct run_file *files;
	size_t count;

	(void)state;
	put_header("scprof.b.1.scp", 1, 0, 200);
	put_header("scprof.a.2.scp", 2, 0, 300);
	put_header("scprof.c.3.scp", 3, 0, 100);
	put("scprof.empty.4.scp", "", 0);
	put("scprof.zero.5.scp", "\0\0\0\0\0\0\0\0\0\0", 10);
	put("scprof.bad.6.scp", "garbage", 7);
	put("other", "x", 1);
	char link[4200];
	snprintf(link, sizeof(link), "%s/scprof.link.7.scp", dir.profiles);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(run_files_list(dir.profiles, &files, &count), 0);
	assert_int_equal(count, 6);
	assert_string_equal(files[0].name, "scprof.bad.6.scp");
	assert_true(files[0].started);
	assert_false(files[1].started);
	assert_false(files[2].started);
	assert_string_equal(files[3].name, "scprof.c.3.scp");
	assert_string_equal(files[4].name, "scprof.b.1.scp");
	assert_string_equal(files[5].name, "scprof.a.2.scp");
	run_files_free(files, count);
}

static void a_reused_pid_is_another_process(void **state)
{
	struct run_file self = {.pid = getpid(), .process_start = start_of(getpid())};

	(void)state;
	assert_true(run_files_is_live(&self));
	self.process_start++;
	assert_false(run_files_is_live(&self));
	self.process_start--;
	self.end_state = SCP_END_EXIT;
	assert_false(run_files_is_live(&self));
}

/* Its file says the number 1. */
static void a_process_of_another_namespace_is_found(void **state)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

	(void)state;
	if (!pid)
		for (;;)
			pause();
	if (pid < 0)
		skip();
	struct run_file inside = {.pid = 1, .process_start = start_of(pid)};
	bool live = run_files_is_live(&inside), here = run_files_is_live_here(&inside);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(live && !here);
	assert_false(run_files_is_live(&inside));
}

static void a_zombie_is_not_alive(void **state)
{
	siginfo_t info;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	struct run_file zombie = {.pid = pid, .process_start = start_of(pid)};
	assert_false(run_files_is_live(&zombie));
	waitpid(pid, NULL, 0);
}

static void damaged_files_are_told_of_and_kept(void **state)
{
	struct profile_error err;
	struct gathered g;
	char path[4200];

	(void)state;
	put("scprof.bad.1.scp", "garbage", 7);
	put("scprof.empty.2.scp", "", 0);
	assert_int_equal(gather_profiles(&dir, NULL, &g, count_told, &err), 0);
	assert_null(g.profile);
	assert_int_equal(g.refusals, 1);
	assert_int_equal(told, 1);
	assert_int_equal(gather_discard(&dir, &g), -1);
	snprintf(path, sizeof(path), "%s/scprof.bad.1.scp", dir.profiles);
	assert_int_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/scprof.empty.2.scp", dir.profiles);
	assert_int_equal(access(path, F_OK), -1);
	gather_free(&g);
}

static char last_told[512];

/* As a program of root's that became somebody else could: the file after the damaged one becomes a
 * link while that one is reported. */
static int swap_for_a_link(const char *text)
{
	char path[4200];

	if (!told++) {
		snprintf(path, sizeof(path), "%s/scprof.swapped.2.scp", dir.profiles);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(symlink("/etc/passwd", path), 0);
	}
	snprintf(last_told, sizeof(last_told), "%s", text);
	return -1;
}

static void a_file_that_becomes_a_link_is_not_followed(void **state)
{
	struct profile_error err;
	struct gathered g;

	(void)state;
	put("scprof.bad.1.scp", "garbage", 7);
	put("scprof.swapped.2.scp", "garbage", 7);
	assert_int_equal(gather_profiles(&dir, NULL, &g, swap_for_a_link, &err), 0);
	assert_int_equal(told, 2);
	assert_non_null(strstr(last_told, "scprof.swapped.2.scp: is a symbolic link"));
	assert_int_equal(g.refusals, 2);
	gather_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_else_finds_the_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_begun_in_vain_is_discarded, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(files_come_in_order_of_start, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_reused_pid_is_another_process, set_up, tear_down),
		cmocka_unit_test(a_process_of_another_namespace_is_found),
		cmocka_unit_test_setup_teardown(a_zombie_is_not_alive, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_files_are_told_of_and_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_becomes_a_link_is_not_followed, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
