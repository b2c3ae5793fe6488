// SPDX-License-Identifier: GPL-3.0-or-later
/* A copy lands below the root of the process and nowhere else, is its owner's, overwrites nothing
 * and is removed again. */
#include <dirent.h>
#include <errno.h>
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
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/copy_in.h"
#include "profile/live/run_files.h"

static char directory[] = "/tmp/scprof-test.XXXXXX";
static struct profile_error err;
static struct copy_in c;

static bool is_there(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool is_there(const char *format, ...)
{
	char path[3 * PATH_MAX];
	struct stat st;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return !lstat(path, &st);
}

static size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

/* A child whose root is DIRECTORY/root, as the user. */
static pid_t child_in_root(uid_t uid)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot("root") || chdir("/") ||
		    (uid && (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))) ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static struct refusal_facts facts_of(pid_t pid)
{
	return (struct refusal_facts){
		.target = {.pid = pid, .process_start = run_files_process_start(pid, NULL)}};
}

static int begin(pid_t child, const char *place)
{
	struct refusal_facts f = facts_of(child);

	return copy_in_begin(&c, &f, place, LIBRARY, &err);
}

static void a_copy_is_the_owner_s_and_goes_again(void **state)
{
	static const uid_t users[] = {0, 1000};
	struct stat st, profiles, original;

	(void)state;
	assert_int_equal(stat(LIBRARY, &original), 0);
	for (size_t i = 0; i < 2; i++) {
		pid_t child = child_in_root(users[i]);
		char path[3 * PATH_MAX];

		assert_int_equal(begin(child, "/tmp/"), 0);
		assert_int_equal(geteuid(), 0);
		snprintf(path, sizeof(path), "root%s", c.inner_library);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_uid, users[i]);
		assert_int_equal(st.st_gid, users[i]);
		assert_int_equal(st.st_mode & 07777, 0555);
		assert_int_equal(st.st_size, original.st_size);
		snprintf(path, sizeof(path), "cmp %s root%s", LIBRARY, c.inner_library);
		assert_int_equal(system(path), 0);
		snprintf(path, sizeof(path), "root%s/%s", c.inner_directory, c.profiles_name);
		assert_int_equal(stat(path, &profiles), 0);
		assert_int_equal(profiles.st_uid, users[i]);
		assert_int_equal(profiles.st_mode & 07777, users[i] ? 0700 : 01777);
		end(child); /* what we hold does not go with it */
		assert_int_equal(fstatat(c.made, c.profiles_name, &st, 0), 0);
		assert_int_equal(st.st_ino, profiles.st_ino);
		assert_true(copy_in_end(&c));
		assert_int_equal(entries("root/tmp"), 0);
	}
}

static void what_others_left_there_stays_and_is_said(void **state)
{
	pid_t child = child_in_root(0);
	char path[3 * PATH_MAX];

	(void)state;
	assert_int_equal(begin(child, "/tmp"), 0);
	snprintf(path, sizeof(path), "root%s/%s/profile", c.inner_directory, c.profiles_name);
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_false(copy_in_end(&c));
	assert_true(is_there("%s", path));
	assert_false(is_there("root%s", c.inner_library));
	end(child);
	assert_int_equal(system("rm -rf root/tmp/*"), 0);
}

static void links_do_not_lead_out_of_the_root(void **state)
{
	pid_t child = child_in_root(1000);

	(void)state;
	assert_int_equal(mkdir("outside", 0777) | chmod("outside", 0777), 0);
	assert_int_equal(symlink("/tmp", "root/absolute"), 0);
	char away[256];
	snprintf(away, sizeof(away), "../../../../..%s/outside", directory);
	assert_int_equal(symlink(away, "root/away"), 0);
	assert_int_equal(begin(child, "/absolute"), 0);
	assert_int_equal(entries("root/tmp"), 1);
	assert_true(copy_in_end(&c));
	assert_int_equal(begin(child, "/away"), -1);
	assert_int_equal(begin(child, "/../../../tmp"), 0);
	assert_int_equal(entries("root/tmp"), 1);
	assert_true(copy_in_end(&c));
	assert_int_equal(entries("outside"), 0);
	end(child);
}

static void where_it_cannot_be_it_is_refused_and_nothing_left(void **state)
{
	pid_t child = child_in_root(1000);

	(void)state;
	assert_int_equal(mkdir("root/closed", 0755), 0); /* root's */
	assert_int_equal(begin(child, "/closed"), -1);
	assert_non_null(strstr(err.text, "user cannot write there"));
	assert_int_equal(entries("root/closed"), 0);
	assert_int_equal(geteuid(), 0);
	int fd = open("root/closed/as_root", O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0); /* our rights are ours again */
	close(fd);
	assert_int_equal(begin(child, "/none"), -1);
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(begin(child, "tmp"), -1);
	assert_non_null(strstr(err.text, "absolute"));
	struct refusal_facts f = facts_of(child);
	f.target.process_start--;
	assert_int_equal(copy_in_begin(&c, &f, "/tmp", LIBRARY, &err), -1);
	assert_int_equal(entries("root/tmp"), 0);
	end(child);
	assert_int_equal(begin(child, "/tmp"), -1);
}

static void a_place_without_room_or_execution_is_refused(void **state)
{
	pid_t child;

	(void)state;
	assert_int_equal(mkdir("root/small", 0777) | mkdir("root/noexec", 0777), 0);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "root/small", "tmpfs", 0, "size=64k,mode=1777") ||
	    mount("tmpfs", "root/noexec", "tmpfs", MS_NOEXEC, "mode=1777"))
		skip();
	child = child_in_root(0);
	assert_int_equal(begin(child, "/small"), -1);
	assert_non_null(strstr(err.text, "No space"));
	assert_int_equal(entries("root/small"), 0);
	assert_int_equal(begin(child, "/noexec"), -1);
	assert_non_null(strstr(err.text, "noexec"));
	assert_int_equal(entries("root/noexec"), 0);
	end(child);
	umount("root/small");
	umount("root/noexec");
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(directory) || chmod(directory, 0755) || chdir(directory) ||
	       mkdir("root", 0755) || mkdir("root/tmp", 0777) || chmod("root/tmp", 01777);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") || system(command);
}

static void chroot_is_root_s(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_is_the_owner_s_and_goes_again),
		cmocka_unit_test(what_others_left_there_stays_and_is_said),
		cmocka_unit_test(links_do_not_lead_out_of_the_root),
		cmocka_unit_test(where_it_cannot_be_it_is_refused_and_nothing_left),
		cmocka_unit_test(a_place_without_room_or_execution_is_refused),
	};

	if (geteuid()) {
		const struct CMUnitTest none[] = {cmocka_unit_test(chroot_is_root_s)};

		return cmocka_run_group_tests(none, NULL, NULL);
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
